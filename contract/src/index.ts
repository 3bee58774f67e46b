import * as accounts from './accounts.ts'
import * as alarmLists from './alarm-lists.ts'
import * as alarms from './alarms.ts'
import * as analysis from './analysis.ts'
import * as applications from './applications.ts'
import * as audit from './audit.ts'
import * as cameraControl from './camera-control.ts'
import * as cameras from './cameras.ts'
import * as changes from './changes.ts'
import * as clocks from './clocks.ts'
import * as data from './data.ts'
import * as derivation from './derivation.ts'
import * as events from './events.ts'
import * as imports from './imports.ts'
import * as ingest from './ingest.ts'
import * as keys from './keys.ts'
import * as overview from './overview.ts'
import * as portraits from './portraits.ts'
import * as quality from './quality.ts'
import * as readings from './readings.ts'
import * as records from './records.ts'
import * as rejects from './rejects.ts'
import * as series from './series.ts'
import * as sessions from './sessions.ts'
import * as site from './site-operations.ts'
import * as status from './status.ts'
import * as structures from './structures.ts'
import * as notifications from './notifications.ts'
import * as thresholds from './thresholds.ts'
import * as tokens from './tokens.ts'
import * as traffic from './traffic.ts'
import * as vibration from './vibration.ts'
import type { Operation } from './operation.ts'

export type { Static, TSchema } from 'typebox'
export * from './accounts.ts'
export * from './alarm-lists.ts'
export * from './alarms.ts'
export * from './analysis.ts'
export * from './applications.ts'
export * from './audit.ts'
export * from './camera-control.ts'
export * from './cameras.ts'
export * from './changes.ts'
export * from './clocks.ts'
export * from './common.ts'
export * from './data.ts'
export * from './derivation.ts'
export * from './events.ts'
export * from './imports.ts'
export * from './ingest.ts'
export * from './keys.ts'
export * from './operation.ts'
export * from './overview.ts'
export * from './portraits.ts'
export * from './quality.ts'
export * from './readings.ts'
export * from './records.ts'
export * from './rejects.ts'
export * from './series.ts'
export * from './sessions.ts'
export * from './site-operations.ts'
export * from './status.ts'
export * from './structures.ts'
export * from './notifications.ts'
export * from './thresholds.ts'
export * from './tokens.ts'
export * from './traffic.ts'
export * from './vibration.ts'
export * from './waveform-formats.ts'

/** The 17 operations below `/api/v1`, in the order of the interface document. */
export const INTERFACE_OPERATIONS = [
  tokens.issueToken,
  tokens.refreshToken,
  tokens.invalidateToken,
  structures.listStructures,
  structures.listFactors,
  structures.listStations,
  data.getThemeData,
  data.getStationsData,
  traffic.getTrafficFlow,
  vibration.getVibrationRaw,
  vibration.getVibrationFft,
  thresholds.listThresholdBatches,
  alarms.countAlarms,
  alarms.listAlarmDetails,
  alarms.listAlarms,
  cameras.listCameras,
  cameras.getCameraInfo,
] as const satisfies readonly Operation[]

/** The operations of ingest, below `/ingest/v1`. */
export const INGEST_OPERATIONS = [
  ingest.ingestTheme,
  ingest.ingestRaw,
  ingest.ingestTraffic,
  ingest.ingestVibration,
  ingest.ingestHeartbeats,
  ingest.ingestPoints,
] as const satisfies readonly Operation[]

/** The operations of management, below `/manage/v1`. */
export const MANAGE_OPERATIONS = [
  series.getSeries,
  readings.addReadings,
  readings.listReadings,
  overview.getOverview,
  overview.getStructureState,
  portraits.putPortrait,
  portraits.deletePortrait,
  portraits.setPositions,
  events.streamEvents,
  alarmLists.searchAlarms,
  alarmLists.confirmAlarms,
  alarmLists.shelveAlarms,
  alarmLists.unshelveAlarms,
  alarmLists.listShelvings,
  traffic.countTraffic,
  alarms.confirmAlarm,
  alarms.listAlarmSnapshots,
  alarms.getAlarmSnapshot,
  cameras.getCameraSnapshot,
  cameraControl.moveCamera,
  cameraControl.stopCamera,
  cameraControl.listCameraPresets,
  cameraControl.saveCameraPreset,
  cameraControl.goToCameraPreset,
  cameraControl.removeCameraPreset,
  thresholds.listThresholdDrafts,
  thresholds.createThresholdBatch,
  thresholds.changeThresholdBatch,
  thresholds.deleteThresholdBatch,
  thresholds.backtestThresholds,
  rejects.listRejects,
  rejects.replayRejects,
  rejects.repairReject,
  rejects.dropRejects,
  analysis.listVibrationBatches,
  analysis.getVibrationPsd,
  analysis.getVibrationPeaks,
  analysis.getVibrationSpectrogram,
  analysis.getVibrationIntegrated,
  analysis.getCableForce,
  derivation.explainStation,
  derivation.recompute,
  clocks.listClocks,
  records.listStationRecords,
  records.listSensorRecords,
  records.deleteRecords,
  quality.markStation,
  quality.markSensor,
  notifications.listDeliveries,
  notifications.listMaintenance,
  notifications.addMaintenance,
  notifications.endMaintenance,
  notifications.sendTestMessage,
  sessions.signIn,
  sessions.getSession,
  sessions.signOut,
  sessions.changePassword,
  sessions.beginTotp,
  sessions.confirmTotp,
  sessions.removeTotp,
  sessions.readInvitation,
  sessions.acceptInvitation,
  accounts.listSiteUsers,
  accounts.listAccounts,
  accounts.createAccount,
  accounts.changeAccount,
  accounts.resetAccount,
  audit.listAudit,
  audit.exportAudit,
  site.getSite,
  site.planSite,
  site.applySite,
  status.getStatus,
  status.getIntake,
  applications.listApplications,
  applications.createApplication,
  applications.changeApplicationScope,
  applications.renewApplicationSecret,
  applications.revokeApplication,
  keys.listKeys,
  keys.createKey,
  keys.revokeKey,
  imports.startImport,
  imports.sendImportFile,
  imports.listImports,
  imports.getImport,
  imports.cancelImport,
  changes.listChanges,
  changes.undoChange,
] as const satisfies readonly Operation[]

/** All operations. */
export const OPERATIONS: readonly Operation[] = [
  ...INTERFACE_OPERATIONS,
  ...INGEST_OPERATIONS,
  ...MANAGE_OPERATIONS,
]
