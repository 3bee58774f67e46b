import type { SqlEngine } from './engine.ts'
import type { Statement } from './statement.ts'
import type { NewSnapshot, SnapshotStore } from '../stores/snapshots.ts'

export const insertSnapshots = (snapshots: readonly NewSnapshot[]): Statement => ({
  sql: `insert into alarm_snapshots (alarm_id, camera_id, due_at) values (?, ?, ?)`,
  width: 3,
  values: snapshots.flatMap(({ alarm, camera, dueAt }) => [alarm, camera, dueAt]),
})

export function snapshotStore({
  build,
  dialect,
  all,
  first,
  check,
  write,
}: SqlEngine): SnapshotStore {
  return {
    async listWaiting(limit) {
      const query = build
        .selectFrom('alarm_snapshots')
        .select(['id', 'alarm_id as alarm', 'camera_id as camera', 'due_at as dueAt'])
        .where('ended_at', 'is', null)
        .orderBy('id')
        .limit(limit)
      return all(query.compile())
    },

    async take(snapshots, { camera, takenAt, jpeg }) {
      await write([
        {
          sql: `insert into pictures (camera_id, taken_at, jpeg) values (?, ?, ?)`,
          width: 3,
          values: [camera, takenAt, jpeg],
        },
        {
          sql: `update alarm_snapshots set ended_at = ?, picture_id = ${dialect.lastId('pictures')}
            where id = ? and ended_at is null`,
          width: 2,
          values: snapshots.flatMap(({ id }) => [takenAt, id]),
        },
      ])
    },

    async giveUp(snapshots, { at, problem }) {
      await write([
        {
          sql: `update alarm_snapshots set ended_at = ?, problem = ?
            where id = ? and ended_at is null`,
          width: 3,
          values: snapshots.flatMap(({ id }) => [at, problem, id]),
        },
      ])
    },

    async list(alarm) {
      const query = build
        .selectFrom('alarm_snapshots')
        .leftJoin('pictures', 'pictures.id', 'picture_id')
        .select(['alarm_snapshots.id', 'alarm_snapshots.camera_id as camera'])
        .select(['taken_at as takenAt', 'problem'])
        .where('alarm_id', '=', alarm)
        .orderBy('alarm_snapshots.id')
      return all(query.compile())
    },

    async findPicture(alarm, snapshot) {
      const query = build
        .selectFrom('alarm_snapshots')
        .innerJoin('pictures', 'pictures.id', 'picture_id')
        .select(['pictures.id', 'jpeg'])
        .where('alarm_id', '=', alarm)
        .where('alarm_snapshots.id', '=', snapshot)
      const row = await first(query.compile())
      if (row === undefined) return undefined
      check({ table: 'pictures', owner: 0, from: row.id, to: row.id })
      return row.jpeg
    },
  }
}
