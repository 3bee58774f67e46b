import { accounts } from './accounts.ts'
import { alarmManagement, alarms } from './alarms.ts'
import { analysis } from './analysis.ts'
import { applications } from './applications.ts'
import { audit } from './audit.ts'
import { cameraControl } from './camera-control.ts'
import { derivation } from './derivation.ts'
import { cameraManagement, cameras } from './cameras.ts'
import { changes } from './changes.ts'
import { clocks } from './clocks.ts'
import { data } from './data.ts'
import type { EndpointsBelow } from './endpoint.ts'
import { events } from './events.ts'
import { imports } from './imports.ts'
import { ingest } from './ingest.ts'
import { keys } from './keys.ts'
import { overview } from './overview.ts'
import { portraits } from './portraits.ts'
import { quality } from './quality.ts'
import { readings } from './readings.ts'
import { records } from './records.ts'
import { rejects } from './rejects.ts'
import { series } from './series.ts'
import { sessions } from './sessions.ts'
import { notifications } from './notifications.ts'
import { site } from './site.ts'
import { status } from './status.ts'
import { structures } from './structures.ts'
import { thresholdManagement, thresholds } from './thresholds.ts'
import { tokens } from './tokens.ts'
import { traffic, trafficManagement } from './traffic.ts'
import { vibration } from './vibration.ts'

/** The endpoints of the interface that need an access token. */
export const READ_ENDPOINTS = {
  ...structures,
  ...data,
  ...traffic,
  ...vibration,
  ...thresholds,
  ...alarms,
  ...cameras,
} as const satisfies EndpointsBelow<'/api/v1'>

/** The endpoints that need the id and secret of an application. */
export const TOKEN_ENDPOINTS = tokens satisfies EndpointsBelow<'/api/v1'>

/** The endpoints that need an ingest key. */
export const INGEST_ENDPOINTS = ingest satisfies EndpointsBelow<'/ingest/v1'>

/** The endpoints of management. */
export const MANAGE_ENDPOINTS = {
  ...overview,
  ...portraits,
  ...events,
  ...trafficManagement,
  ...series,
  ...alarmManagement,
  ...cameraControl,
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
  ...sessions,
  ...accounts,
  ...audit,
  ...site,
  ...status,
  ...applications,
  ...keys,
  ...imports,
  ...changes,
} as const satisfies EndpointsBelow<'/manage/v1'>
