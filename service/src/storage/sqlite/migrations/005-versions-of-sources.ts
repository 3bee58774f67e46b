import type { Migration } from './migration.ts'

/**
 * No row that every change of an alarm touches: instances that write different sources never make each
 * other evaluate again.
 */
export const versionsOfSources: Migration = {
  name: '005-versions-of-sources',
  does: 'gives the alarm states of each source a version of their own',
  statements: [
    // Grows with every change of a source's alarms; a pair of version and writer never comes twice. A
    // source without a row has version 0 of writer 0.
    `create table alarm_versions (
      source_id text primary key,
      version integer not null,
      writer integer not null
    ) without rowid`,
    `insert into alarm_versions (source_id, version, writer)
      select distinct source_id, 1, 0 from alarm_states`,
    `drop table alarm_version`,
    `drop index alarm_states_by_version`,
    `alter table alarm_states drop column version`,
  ],
}
