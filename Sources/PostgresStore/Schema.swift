import EventStore
import Postgres

/// The migrations in `Migrations/`, one database object in each file. `TidyTests` checks the list.
///
/// A file is never edited once it was released: what changes an object is a new file.
enum Schema {
    static let migrations: [Migration] = files.enumerated().map { index, file in
        Migration(
            number: index + 1, name: file.name, sql: String(decoding: file.sql, as: UTF8.self))
    }

    private static let files: [(name: String, sql: [UInt8])] = [
        ("tenant", PackageResources.m0001_tenant_sql),
        ("tenant_limit", PackageResources.m0002_tenant_limit_sql),
        ("tenant_usage", PackageResources.m0003_tenant_usage_sql),
        ("api_key", PackageResources.m0004_api_key_sql),
        ("announce_key_change", PackageResources.m0005_announce_key_change_sql),
        ("ticket_secret", PackageResources.m0006_ticket_secret_sql),
        ("log_head", PackageResources.m0007_log_head_sql),
        ("event", PackageResources.m0008_event_sql),
        ("append_plainly", PackageResources.m0009_append_plainly_sql),
        ("append_carefully", PackageResources.m0010_append_carefully_sql),
        ("append_events", PackageResources.m0011_append_events_sql),
        ("import_events", PackageResources.m0012_import_events_sql),
        ("position_before", PackageResources.m0013_position_before_sql),
        ("version_upto", PackageResources.m0014_version_upto_sql),
        ("policy", PackageResources.m0015_policy_sql),
        ("put_policy", PackageResources.m0016_put_policy_sql),
        ("projection_checkpoint", PackageResources.m0017_projection_checkpoint_sql),
        ("live_generation", PackageResources.m0018_live_generation_sql),
        ("snapshot", PackageResources.m0019_snapshot_sql),
        ("is_late", PackageResources.m0020_is_late_sql),
        ("activity_word", PackageResources.m0021_activity_word_sql),
        ("note_words", PackageResources.m0022_note_words_sql),
        ("projection_rebuild", PackageResources.m0023_projection_rebuild_sql),
        ("parked_event", PackageResources.m0024_parked_event_sql),
        ("activity_notice", PackageResources.m0025_activity_notice_sql),
        ("decision", PackageResources.m0026_decision_sql),
        ("registration", PackageResources.m0027_registration_sql),
        ("delivery_state", PackageResources.m0028_delivery_state_sql),
        ("start_device", PackageResources.m0029_start_device_sql),
        ("start_token", PackageResources.m0030_start_token_sql),
        ("start_topic", PackageResources.m0031_start_topic_sql),
        ("activity_audience", PackageResources.m0032_activity_audience_sql),
        ("audience_topic", PackageResources.m0033_audience_topic_sql),
        ("card_start", PackageResources.m0034_card_start_sql),
        ("channel", PackageResources.m0035_channel_sql),
        ("channel_listener", PackageResources.m0036_channel_listener_sql),
        ("app_key", PackageResources.m0037_app_key_sql),
        ("app_alarm", PackageResources.m0038_app_alarm_sql),
        ("webhook", PackageResources.m0039_webhook_sql),
        ("webhook_secret", PackageResources.m0040_webhook_secret_sql),
        ("webhook_message", PackageResources.m0041_webhook_message_sql),
        ("database_marker", PackageResources.m0042_database_marker_sql),
        ("database_timeline", PackageResources.m0043_database_timeline_sql),
        ("log_identity", PackageResources.m0044_log_identity_sql),
        ("log_epoch_kept", PackageResources.m0045_log_epoch_kept_sql),
        ("log_hold", PackageResources.m0046_log_hold_sql),
        ("refuse_while_log_is_held", PackageResources.m0047_refuse_while_log_is_held_sql),
        ("accept_log", PackageResources.m0048_accept_log_sql),
        ("visible_tenant", PackageResources.m0049_visible_tenant_sql),
        ("can_enter_tenant_role", PackageResources.m0050_can_enter_tenant_role_sql),
        ("tenant_access", PackageResources.m0051_tenant_access_sql),
        ("raise_tenant_walls", PackageResources.m0052_raise_tenant_walls_sql),
        ("tenant_walls", PackageResources.m0053_tenant_walls_sql),
        ("start_waits", PackageResources.m0054_start_waits_sql),
        ("log_archive", PackageResources.m0055_log_archive_sql),
        ("archived_through", PackageResources.m0056_archived_through_sql),
        ("log_dropped", PackageResources.m0057_log_dropped_sql),
        ("refuse_to_drop_history", PackageResources.m0058_refuse_to_drop_history_sql),
        ("position_before", PackageResources.m0059_position_before_sql),
        ("is_droppable", PackageResources.m0060_is_droppable_sql),
        ("drop_archived", PackageResources.m0061_drop_archived_sql),
        ("removed_tenant", PackageResources.m0062_removed_tenant_sql),
        ("refuse_to_drop_policies", PackageResources.m0063_refuse_to_drop_policies_sql),
        ("remove_tenant", PackageResources.m0064_remove_tenant_sql),
    ]
}
