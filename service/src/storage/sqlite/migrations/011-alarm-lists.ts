/** What tells a process that keeps all alarms in memory which of them it has not seen yet. */
export const alarmLists = [
  `alter table alarms drop column search_text`,
  // The version that all alarms were given by the last change of this one.
  `alter table alarms add column version integer not null default 0`,
  `create index alarms_by_version on alarms (version)`,
  `drop index alarms_by_structure`,
  // What is gone has no version.
  `alter table alarm_version add column removals integer not null default 0`,
  `create trigger alarms_removed after delete on alarms
    begin update alarm_version set removals = removals + 1; end`,
] as const
