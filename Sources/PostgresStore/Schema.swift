import Postgres

/// The migrations in `Migrations/`, one database object in each file. `TidyTests` checks the list.
///
/// A file is never edited once it was released: what changes an object is a new file.
enum Schema {
    static let migrations: [Migration] = files.enumerated().map { index, file in
        Migration(
            number: index + 1, name: file.name, sql: String(decoding: file.sql, as: UTF8.self))
    }

    /// The tables, functions and procedures that they make, and those that were there once.
    static let objectNames: Set<String> = {
        let made = migrations.flatMap { $0.sql.split(separator: "\n").compactMap(Schema.name) }
        // The first is the migrator's, and the other is made by `raise_tenant_walls()`.
        return Set(made).union(["islet_migration", "tenant_role"])
    }()

    /// Of what a line begins to make.
    private static func name(_ line: Substring) -> String? {
        guard line.hasPrefix("CREATE ") else { return nil }
        let words = line.split(separator: " ").filter { $0 != "OR" && $0 != "REPLACE" }
        guard words.count > 2, ["TABLE", "FUNCTION", "PROCEDURE"].contains(words[1]) else {
            return nil
        }
        return String(words[2].prefix { $0 != "(" })
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
        ("audit_entry", PackageResources.m0055_audit_entry_sql),
        ("acting", PackageResources.m0056_acting_sql),
        ("note_act", PackageResources.m0057_note_act_sql),
        ("sign_in", PackageResources.m0058_sign_in_sql),
        ("series_minute", PackageResources.m0059_series_minute_sql),
        ("log_archive", PackageResources.m0060_log_archive_sql),
        ("archived_through", PackageResources.m0061_archived_through_sql),
        ("log_dropped", PackageResources.m0062_log_dropped_sql),
        ("refuse_to_drop_history", PackageResources.m0063_refuse_to_drop_history_sql),
        ("position_before", PackageResources.m0064_position_before_sql),
        ("is_droppable", PackageResources.m0065_is_droppable_sql),
        ("drop_archived", PackageResources.m0066_drop_archived_sql),
        ("removed_tenant", PackageResources.m0067_removed_tenant_sql),
        ("refuse_to_drop_policies", PackageResources.m0068_refuse_to_drop_policies_sql),
        ("remove_tenant", PackageResources.m0069_remove_tenant_sql),
        ("plain_texts", PackageResources.m0070_plain_texts_sql),
        ("packed_columns", PackageResources.m0071_packed_columns_sql),
        ("pending_decision", PackageResources.m0072_pending_decision_sql),
        ("forget_pending", PackageResources.m0073_forget_pending_sql),
        ("is_droppable", PackageResources.m0074_is_droppable_sql),
        ("subject_key", PackageResources.m0075_subject_key_sql),
        ("is_erased_from", PackageResources.m0076_is_erased_from_sql),
        ("refuse_to_rewrite_history", PackageResources.m0077_refuse_to_rewrite_history_sql),
        ("append_carefully", PackageResources.m0078_append_carefully_sql),
        ("import_events", PackageResources.m0079_import_events_sql),
        ("cell", PackageResources.m0080_cell_sql),
        ("tenant_move", PackageResources.m0081_tenant_move_sql),
        ("number_cell", PackageResources.m0082_number_cell_sql),
        ("note_move", PackageResources.m0083_note_move_sql),
        ("moving_tables", PackageResources.m0084_moving_tables_sql),
        ("watch_table", PackageResources.m0085_watch_table_sql),
        ("page_of_tenant", PackageResources.m0086_page_of_tenant_sql),
        ("put_moved_rows", PackageResources.m0087_put_moved_rows_sql),
        ("fence_tenant", PackageResources.m0088_fence_tenant_sql),
        ("leave_cell", PackageResources.m0089_leave_cell_sql),
        ("open_tenant", PackageResources.m0090_open_tenant_sql),
        ("clear_moved", PackageResources.m0091_clear_moved_sql),
        ("note_act", PackageResources.m0092_note_act_sql),
        ("fillfactor", PackageResources.m0093_fillfactor_sql),
        ("is_erased_from", PackageResources.m0094_is_erased_from_sql),
        ("accept_log", PackageResources.m0095_accept_log_sql),
        ("is_droppable", PackageResources.m0096_is_droppable_sql),
        ("drop_archived", PackageResources.m0097_drop_archived_sql),
        ("shown_of", PackageResources.m0098_shown_of_sql),
        ("projection_rebuild", PackageResources.m0099_projection_rebuild_sql),
        ("caught_up", PackageResources.m0100_caught_up_sql),
        ("missed_from", PackageResources.m0101_missed_from_sql),
        ("opened_at", PackageResources.m0102_opened_at_sql),
        ("begin_arrival", PackageResources.m0103_begin_arrival_sql),
        ("policy_bytes", PackageResources.m0104_policy_bytes_sql),
        ("accepted_at", PackageResources.m0105_accepted_at_sql),
        ("backlog_after", PackageResources.m0106_backlog_after_sql),
        ("remove_tenant", PackageResources.m0107_remove_tenant_sql),
        ("rotated_from", PackageResources.m0108_rotated_from_sql),
        ("accept_log", PackageResources.m0109_accept_log_sql),
        ("drop_archived", PackageResources.m0110_drop_archived_sql),
        ("channel_wanted", PackageResources.m0111_channel_wanted_sql),
        ("drop_archived", PackageResources.m0112_drop_archived_sql),
        ("note_move", PackageResources.m0113_note_move_sql),
        ("has_successor", PackageResources.m0114_has_successor_sql),
        ("api_key_in_force", PackageResources.m0115_api_key_in_force_sql),
        ("raise_tenant_walls", PackageResources.m0116_raise_tenant_walls_sql),
        ("mend_tenant_walls", PackageResources.m0117_mend_tenant_walls_sql),
    ]
}
