import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getIntake, getStatus, type Intake, type Status } from '@plumbline/contract'
import { assessBackups } from '../../backup/scheduled-backup-state.ts'
import type { ContinuousCopyState } from '../../backup/continuous/copy-state.ts'
import type { FolderState } from '../../ingest/files/folder-state.ts'
import type { DataSourceState } from '../../ingest/data-source-state.ts'
import { checkStorageProblem } from '../../storage/storage-problem.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ServiceStates } from '../operations/metrics.ts'
import { VERSION } from '../reference/version.ts'
import { requireAllStructures } from '../security/require-all-structures.ts'

export type ServiceReport = {
  /** The states that health and metrics report too, once all parts are open. */
  states: Promise<ServiceStates>
  /** Why nothing is taken in, as a sentence. */
  findIntakeProblem(): string | undefined
  engine: Status['storage']['engine']
  startedAt: number
}

type StatusRoutesOptions = {
  storage: Pick<Storage, 'check' | 'measureFiles' | 'countPendingMigrations' | 'rejects'>
  report: ServiceReport
  now(): number
}

/** For users who may see every structure: what they say is of the whole service. */
export const statusRoutes: FastifyPluginAsyncTypebox<StatusRoutesOptions> = async (
  app,
  { storage, report, now },
) => {
  requireAllStructures(app, 'the states of the service')

  app.route({
    ...getStatus,
    handler: async () => {
      const states = await report.states
      const { clock } = states.retention()
      const { clock: time, ...confirmed } = clock
      const files = storage.measureFiles()
      const problem = (await checkStorageProblem(storage)) ?? report.findIntakeProblem()
      return {
        version: VERSION,
        startedAt: report.startedAt,
        time,
        problem: problem ?? null,
        storage: {
          engine: report.engine,
          databaseBytes: files.database,
          logBytes: files.log,
          pendingMigrations: storage.countPendingMigrations(),
        },
        disk: describeDisk(states.disk()),
        clock: confirmed,
        backup: describeBackup(states, now()),
        continuousCopy: describeCopy(states.continuousCopy()),
        certificate: { endsAt: states.certificateEndsAt() },
        cameras: await describeCameras(states),
        workers: await describeWorkers(states),
        channels: [...(await states.channels())],
        lostLogLines: states.lostLogLines(),
      } satisfies Status
    },
  })

  app.route({
    ...getIntake,
    handler: async () => {
      const states = await report.states
      return {
        problem: report.findIntakeProblem() ?? null,
        sources: states.sources().map(describeSource),
        folders: states.folders().map(describeFolder),
        rejects: await storage.rejects.count(),
      } satisfies Intake
    },
  })
}

/** Nothing is known of a folder that is gone. */
const describeDisk = ({ freeBytes, ...disk }: ReturnType<ServiceStates['disk']>) => ({
  ...disk,
  freeBytes: Number.isFinite(freeBytes) ? freeBytes : 0,
})

function describeBackup(states: ServiceStates, now: number): Status['backup'] {
  const state = states.scheduledBackup()
  if (state === undefined) return null
  const { to, everyHours, last, verification } = state
  const { isOverdue, failure } = assessBackups(state, now)
  return {
    to,
    everyHours,
    isOverdue,
    failure,
    last:
      last === undefined
        ? null
        : {
            backup: last.backup,
            instant: last.instant,
            bytes: last.bytes,
            seconds: last.seconds,
          },
    verifiedAt: verification?.at ?? null,
  }
}

const describeCopy = (copy: ContinuousCopyState | undefined): Status['continuousCopy'] =>
  copy === undefined
    ? null
    : {
        to: copy.to,
        state: copy.state,
        copiedThrough: copy.copiedThrough ?? null,
        problem: copy.problem ?? null,
        isOnSameDisk: copy.isOnSameDisk ?? false,
      }

async function describeCameras({ cameras }: ServiceStates): Promise<Status['cameras']> {
  const { ffmpeg, streams } = await cameras()
  return {
    ffmpeg,
    streams: streams.map(({ name, state, flvViewers, restarts, problem }) => ({
      name,
      state,
      viewers: flvViewers,
      restarts,
      problem,
    })),
  }
}

async function describeWorkers({ workers }: ServiceStates): Promise<Status['workers']> {
  const { state } = await workers()
  const processes = state.workers.map(({ worker: _number, ...process }) => process)
  return {
    wanted: state.wanted,
    answering: state.answering,
    restarts: state.restarts,
    processes,
  }
}

const describeSource = ({
  origin,
  connections,
  connected,
  counts,
}: DataSourceState): Intake['sources'][number] => ({
  origin,
  connections: connections ?? null,
  connected: connected ?? null,
  messages: counts.messages,
  records: counts.records,
  replaced: counts.replaced,
  rejected: counts.rejected,
})

const describeFolder = ({
  rejected,
  problem,
  lastRecordTime,
  lastStoredAt,
  counts,
  ...folder
}: FolderState): Intake['folders'][number] => ({
  ...folder,
  problem: problem ?? null,
  rejectedFiles: rejected,
  lastRecordTime: lastRecordTime ?? null,
  lastStoredAt: lastStoredAt ?? null,
  ...counts,
})
