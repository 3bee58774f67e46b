export { createClient, type Client, type ClientOptions, type TokenClient } from './create-client.ts'
export {
  createIngestClient,
  type IngestClient,
  type IngestClientOptions,
} from './create-ingest-client.ts'
export {
  createManageClient,
  type ManageClient,
  type ManageClientOptions,
} from './create-manage-client.ts'
export type { CallOptions } from './endpoint.ts'
export { PlumblineError } from './plumbline-error.ts'
export type {
  Alarm,
  AlarmDetail,
  AlarmFilter,
  AlarmList,
  AlarmOrder,
  AlarmStatus,
  Camera,
  CameraInfo,
  Factor,
  FactorItem,
  FactorStations,
  Group,
  IngestReport,
  IngestTime,
  OrderDirection,
  Readings,
  Delivery,
  DeliveryState,
  Deliveries,
  Maintenance,
  Refusals,
  Series,
  Station,
  StationsData,
  Structure,
  ThemeData,
  ThemeRecord,
  ThresholdBatch,
  TokenResponse,
  TrafficFlow,
  TrafficRecord,
  VibrationFft,
  VibrationRaw,
  WaveformBatch,
} from '@plumbline/contract'
