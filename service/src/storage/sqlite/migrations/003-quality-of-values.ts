import type { Migration } from './migration.ts'

const marksTable = (kind: 'theme' | 'raw'): string =>
  `create table ${kind}_marks (
    source integer not null,
    time integer not null,
    marks text not null,
    primary key (source, time)
  ) without rowid`

/** Marks are rows of their own: records, sealed days included, stay the texts that are served. */
export const qualityOfValues: Migration = {
  name: '003-quality-of-values',
  does: 'makes room for the quality of values, and for undoing manual readings',
  statements: [
    marksTable('theme'),
    marksTable('raw'),
    // `previous_marks`: the marks that the change replaced; `written` is the checksum of both.
    `alter table change_records add column previous_marks text`,
    // `quality`: the marks that were entered with the values. `undone_at`: when the change was undone.
    `alter table manual_readings add column change_id integer`,
    `alter table manual_readings add column quality text`,
    `alter table manual_readings add column undone_at integer`,
  ],
}
