import { Type, type Static, type TSchema } from 'typebox'
import { oneOf } from './common.ts'
import { administering, finding, operation } from './operation.ts'

const orNull = <Schema extends TSchema>(schema: Schema, description = '') =>
  Type.Union([schema, Type.Null()], description === '' ? {} : { description })

const Instant = Type.Integer({ description: 'Epoch milliseconds.' })

export type Intake = Static<typeof Intake>
/** Where records come from, and what could not be stored. */
export const Intake = Type.Object({
  problem: orNull(Type.String(), 'Why nothing is taken in at the moment; null: records are.'),
  sources: Type.Array(
    Type.Object({
      origin: Type.String({ description: '`mqtt <name>`, `broker`, `influx` or `http <kind>`.' }),
      connections: orNull(
        Type.Integer(),
        'Connections that this instance should have; null: it has none by itself.',
      ),
      connected: orNull(Type.Integer(), 'Those that are established and subscribed.'),
      messages: Type.Integer({ description: 'Messages or requests.' }),
      records: Type.Integer({ description: 'Stored records.' }),
      replaced: Type.Integer({ description: 'Those of them that replaced an earlier one.' }),
      rejected: Type.Integer({ description: 'Rejected records.' }),
    }),
    { description: 'Data sources of this instance, with what they sent since its start.' },
  ),
  folders: Type.Array(
    Type.Object({
      origin: Type.String({ description: '`file <path of the folder>`.' }),
      pattern: Type.String(),
      state: oneOf(['waiting', 'reading', 'caught up', 'unreadable'], {
        description:
          '`waiting`: not listed yet, read by another instance, or suspended while nothing is taken in.',
      }),
      problem: orNull(Type.String(), 'Why it is unreadable.'),
      files: Type.Integer({ description: 'Files that match the pattern.' }),
      filesRejected: Type.Integer({ description: 'Those of them that cannot be read.' }),
      rejectedFiles: Type.Array(Type.Object({ file: Type.String(), problem: Type.String() }), {
        description: 'The first of them.',
      }),
      bytesBehind: Type.Integer({ description: 'Bytes that are not read yet.' }),
      lastRecordTime: orNull(Type.Integer(), 'The latest time of a stored record.'),
      lastStoredAt: orNull(Type.Integer(), 'When a record was stored last.'),
      records: Type.Integer(),
      replaced: Type.Integer(),
      rejected: Type.Integer(),
    }),
  ),
  rejects: Type.Array(
    Type.Object({
      origin: Type.String(),
      kept: Type.Integer(),
      dropped: Type.Integer({ description: 'Older ones that were dropped for newer ones.' }),
    }),
    { description: 'Counts of the rejects of all instances; `listRejects` lists them.' },
  ),
})

export const getIntake = operation({
  operationId: 'getIntake',
  summary: 'Get the states of data sources and watched folders, and the counts of rejects',
  method: 'GET',
  url: '/intake',
  base: '/manage/v1',
  noun: 'status',
  config: finding('Intake query failed'),
  schema: { response: { 200: Intake } },
})

export type Status = Static<typeof Status>
/** How a service is: what health and metrics report, for a person. */
export const Status = Type.Object({
  version: Type.String(),
  startedAt: Instant,
  time: Type.Integer({ description: 'The clock of the service; epoch milliseconds.' }),
  problem: orNull(Type.String(), 'Why it does not read or takes nothing in; null: it does.'),
  storage: Type.Object({
    engine: oneOf(['SQLite', 'PostgreSQL']),
    databaseBytes: Type.Integer(),
    logBytes: Type.Integer({ description: 'Of the log of SQLite; 0 for PostgreSQL.' }),
    pendingMigrations: Type.Integer(),
  }),
  disk: Type.Object({
    state: oneOf(['enough', 'low', 'stopped']),
    freeBytes: Type.Integer(),
    warnBytes: Type.Integer({ description: '0: never.' }),
    stopBytes: Type.Integer({ description: 'Below it nothing is taken in; 0: never.' }),
  }),
  clock: Type.Object({
    isConfirmed: Type.Boolean(),
    countsFrom: orNull(Type.Integer(), 'The time from which retention counts.'),
    leftMilliseconds: Type.Integer({
      description: 'The running time after which the clock is confirmed by itself.',
    }),
  }),
  backup: orNull(
    Type.Object({
      to: Type.String(),
      everyHours: Type.Number(),
      isOverdue: Type.Boolean(),
      failure: orNull(Type.String(), 'Why the last attempt failed, or what was found damaged.'),
      last: orNull(
        Type.Object({
          backup: Type.String({ description: 'The name of its folder.' }),
          instant: Type.String({ description: 'The instant of its data, ISO 8601.' }),
          bytes: Type.Integer(),
          seconds: Type.Number(),
        }),
      ),
      verifiedAt: orNull(Type.String({ description: 'ISO 8601.' })),
    }),
    'Backups that the service makes by itself; null: it makes none.',
  ),
  continuousCopy: orNull(
    Type.Object({
      to: Type.String(),
      state: oneOf(['waits', 'begins', 'follows']),
      copiedThrough: orNull(Type.Integer(), 'Every commit up to this moment is in it.'),
      problem: orNull(Type.String()),
      isOnSameDisk: Type.Boolean({ description: 'Whether it is lost with the data folder.' }),
    }),
    'null: there is none.',
  ),
  certificate: Type.Object({ endsAt: Instant }),
  cameras: Type.Object({
    ffmpeg: Type.String({ description: 'What is wrong with ffmpeg; empty: nothing.' }),
    streams: Type.Array(
      Type.Object({
        name: Type.String(),
        state: oneOf(['starting', 'running', 'waiting']),
        viewers: Type.Integer({ description: 'Of HTTP-FLV.' }),
        restarts: Type.Integer(),
        problem: orNull(Type.String()),
      }),
    ),
  }),
  workers: Type.Object({
    wanted: Type.Integer(),
    answering: Type.Integer(),
    restarts: Type.Integer(),
    processes: Type.Array(
      Type.Object({
        pid: Type.Integer(),
        answers: Type.Boolean(),
        connections: orNull(Type.Integer()),
        memoryBytes: orNull(Type.Integer()),
        cpuSeconds: orNull(Type.Number()),
      }),
    ),
  }),
  channels: Type.Array(
    Type.Object({
      channel: Type.String(),
      isConfigured: Type.Boolean(),
      waiting: Type.Integer(),
      waitingSince: orNull(Type.Integer()),
      givenUp: Type.Integer(),
    }),
    { description: 'Notification channels.' },
  ),
  lostLogLines: Type.Integer({ description: 'Log lines that could not be written.' }),
})

export const getStatus = operation({
  operationId: 'getStatus',
  summary: 'Get version, storage, disk, backups, certificate, cameras and processes of the service',
  method: 'GET',
  url: '/status',
  base: '/manage/v1',
  noun: 'status',
  config: administering('Status query failed'),
  schema: { response: { 200: Status } },
})
