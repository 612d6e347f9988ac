import Postgres

/// The migrations in `Migrations/`, one database object per file.
enum Schema {
    static let migrations: [Migration] = files.enumerated().map { index, file in
        Migration(
            number: index + 1, name: file.name, sql: String(decoding: file.sql, as: UTF8.self))
    }

    private static let files: [(name: String, sql: [UInt8])] = [
        ("tenant", PackageResources.m0001_tenant_sql),
        ("api_key", PackageResources.m0002_api_key_sql),
        ("log_head", PackageResources.m0003_log_head_sql),
        ("event", PackageResources.m0004_event_sql),
        ("event_is_append_only", PackageResources.m0005_event_is_append_only_sql),
        ("append_plainly", PackageResources.m0006_append_plainly_sql),
        ("append_carefully", PackageResources.m0007_append_carefully_sql),
        ("append_events", PackageResources.m0008_append_events_sql),
        ("projection_checkpoint", PackageResources.m0009_projection_checkpoint_sql),
        ("snapshot", PackageResources.m0010_snapshot_sql),
        ("decision", PackageResources.m0011_decision_sql),
        ("parked_event", PackageResources.m0012_parked_event_sql),
        ("registration", PackageResources.m0013_registration_sql),
        ("delivery_state", PackageResources.m0014_delivery_state_sql),
        ("import_events", PackageResources.m0015_import_events_sql),
        ("api_key_lifecycle", PackageResources.m0016_api_key_lifecycle_sql),
        ("tenant_limit", PackageResources.m0017_tenant_limit_sql),
        ("announce_key_change", PackageResources.m0018_announce_key_change_sql),
        ("visible_tenant", PackageResources.m0019_visible_tenant_sql),
        ("can_enter_tenant_role", PackageResources.m0020_can_enter_tenant_role_sql),
        ("raise_tenant_walls", PackageResources.m0021_raise_tenant_walls_sql),
        ("log_head_tag", PackageResources.m0022_log_head_tag_sql),
        ("snapshot_generation", PackageResources.m0023_snapshot_generation_sql),
        ("projection_rebuild", PackageResources.m0024_projection_rebuild_sql),
        ("import_events_faster", PackageResources.m0025_import_events_faster_sql),
        ("snapshot_facts", PackageResources.m0026_snapshot_facts_sql),
        ("activity_word", PackageResources.m0027_activity_word_sql),
        ("position_before", PackageResources.m0028_position_before_sql),
        ("decision_alert", PackageResources.m0029_decision_alert_sql),
        ("delivery_round", PackageResources.m0030_delivery_round_sql),
        ("token_version", PackageResources.m0031_token_version_sql),
        ("policy", PackageResources.m0032_policy_sql),
        ("put_policy", PackageResources.m0033_put_policy_sql),
        ("decision_grounds", PackageResources.m0034_decision_grounds_sql),
        ("registration_card", PackageResources.m0035_registration_card_sql),
        ("ticket_secret", PackageResources.m0036_ticket_secret_sql),
        ("raise_tenant_walls_again", PackageResources.m0037_raise_tenant_walls_again_sql),
        ("decision_order", PackageResources.m0038_decision_order_sql),
        ("activity_notice", PackageResources.m0039_activity_notice_sql),
        ("start_device", PackageResources.m0040_start_device_sql),
        ("start_token", PackageResources.m0041_start_token_sql),
        ("start_topic", PackageResources.m0042_start_topic_sql),
        ("activity_audience", PackageResources.m0043_activity_audience_sql),
        ("card_start", PackageResources.m0044_card_start_sql),
        ("channel", PackageResources.m0045_channel_sql),
        ("decision_channels", PackageResources.m0046_decision_channels_sql),
        ("note_words_once", PackageResources.m0047_note_words_once_sql),
        ("decision_too_large", PackageResources.m0048_decision_too_large_sql),
        ("channel_listener", PackageResources.m0049_channel_listener_sql),
        ("card_start_lap", PackageResources.m0050_card_start_lap_sql),
        ("decision_significance", PackageResources.m0051_decision_significance_sql),
        ("tenant_access", PackageResources.m0052_tenant_access_sql),
    ]
}
