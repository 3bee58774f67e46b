import { alarmManagement } from './alarms.ts'
import { analysis } from './analysis.ts'
import { derivation } from './derivation.ts'
import { cameraManagement } from './cameras.ts'
import { clocks } from './clocks.ts'
import { bindMethods, type EndpointsBelow, type Methods } from './endpoint.ts'
import { quality } from './quality.ts'
import { readings } from './readings.ts'
import { records } from './records.ts'
import { toRequest } from './request.ts'
import { rejects } from './rejects.ts'
import { createSend, type Fetch } from './send.ts'
import { series } from './series.ts'
import { notifications } from './notifications.ts'
import { thresholdManagement } from './thresholds.ts'

export type ManageClientOptions = {
  /** The base address of all paths: `https://host:8443/manage/v1`. */
  baseUrl: string
  /** An access token, from `issueToken` of the client of the interface. */
  token: string
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined
}

export const MANAGE_ENDPOINTS = {
  ...series,
  ...alarmManagement,
  ...readings,
  ...records,
  ...quality,
  ...rejects,
  ...analysis,
  ...derivation,
  ...notifications,
  ...clocks,
  ...cameraManagement,
  ...thresholdManagement,
} as const satisfies EndpointsBelow<'/manage/v1'>

export type ManageClient = Methods<typeof MANAGE_ENDPOINTS>

/** Creates a client of management, which works until its token expires. */
export function createManageClient({ baseUrl, token, fetch }: ManageClientOptions): ManageClient {
  const send = createSend(baseUrl, fetch)
  return bindMethods(MANAGE_ENDPOINTS, (wire, input, options) =>
    send(toRequest(wire, input), `Bearer ${token}`, options),
  )
}
