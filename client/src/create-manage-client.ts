import { alarmConfirmation } from './alarms.ts'
import { analysis } from './analysis.ts'
import { derivation } from './derivation.ts'
import { clocks } from './clocks.ts'
import { bindMethods, type Methods } from './endpoint.ts'
import { readings } from './readings.ts'
import { records } from './records.ts'
import { toRequest } from './request.ts'
import { rejects } from './rejects.ts'
import { createSend, type Fetch } from './send.ts'
import { series } from './series.ts'
import { notifications } from './notifications.ts'
import { thresholdManagement } from './thresholds.ts'

export type ManageClientOptions = {
  /** What precedes every path: `https://host:8443/manage/v1`. */
  baseUrl: string
  /** An access token, as `issueToken` of the interface's client gives it. */
  token: string
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined
}

export const MANAGING = {
  ...series,
  ...alarmConfirmation,
  ...readings,
  ...records,
  ...rejects,
  ...analysis,
  ...derivation,
  ...notifications,
  ...clocks,
  ...thresholdManagement,
} as const

export type ManageClient = Methods<typeof MANAGING>

/** Makes a client of what is our own beyond the interface; it works until its token ends. */
export function createManageClient({ baseUrl, token, fetch }: ManageClientOptions): ManageClient {
  const send = createSend(baseUrl, fetch)
  return bindMethods(MANAGING, (wire, input, options) =>
    send(toRequest(wire, input), `Bearer ${token}`, options),
  )
}
