import { Type, type Static } from 'typebox'
import { ACCESS_SETTINGS } from './access-settings.ts'
import { BACKUP_SETTINGS } from './backup-settings.ts'
import { CAMERA_SETTINGS, MEDIA_SETTINGS } from './camera-settings.ts'
import { CONSOLE_SETTINGS } from './console-settings.ts'
import { HTTP_SETTINGS } from './http-settings.ts'
import { INGEST_SETTINGS } from './ingest-settings.ts'
import { NOTIFICATION_SETTINGS } from './notification-settings.ts'
import { setting } from './setting.ts'
import { port, positive, wholeNumber } from './setting-schemas.ts'
import { SOURCE_SETTINGS } from './source-settings.ts'
import { STORAGE_SETTINGS } from './storage-settings.ts'
import { TRACE_SETTINGS } from './trace-settings.ts'
import { oneOf } from '@plumbline/contract'

/**
 * All settings by name. The sample file, the names of environment variables and the checks are made
 * from this table.
 */
export const SETTINGS = {
  ...HTTP_SETTINGS,
  ...CONSOLE_SETTINGS,
  'ops.host': setting({
    schema: Type.String(),
    default: '127.0.0.1',
    description: 'Address of health and metrics, plain HTTP. Keep it on this machine.',
  }),
  'ops.port': setting({
    schema: port,
    default: 8444,
    description: 'Port of /health/live, /health/ready and /metrics. 0: off.',
  }),
  'memory.megabytes': setting({
    schema: Type.Union([Type.Literal(0), wholeNumber(384, 1_048_576)], {
      title: 'at least 384, or 0',
    }),
    default: 0,
    description:
      'Megabytes of memory of the machine or container that the service may take, all its processes together: caches, bodies of requests and the samples of an analysis are made to fit, and the log names each setting that is lowered. 0: the limit of the container or control group, where it has one.',
  }),
  ...STORAGE_SETTINGS,
  ...BACKUP_SETTINGS,
  ...INGEST_SETTINGS,
  'alarms.offlineCheckSeconds': setting({
    schema: Type.Number({ minimum: 0, maximum: 3600, unit: 'seconds' }),
    default: 30,
    description:
      'Seconds between two checks for devices that are offline or online again. 0: no checks.',
  }),
  'overview.staleAfter': setting({
    schema: Type.Number({ minimum: 1, maximum: 1000 }),
    default: 3,
    description:
      'Usual intervals without a record after which a station is stale, where its sensors declare no `intervalSeconds`. Its usual interval is the median of the distances of its newest records.',
  }),
  'overview.staleHours': setting({
    schema: positive(87_600, 'hours'),
    default: 24,
    description:
      'Hours without a record after which a station is stale, where nothing is known of its interval.',
  }),
  'vibration.cacheMegabytes': setting({
    schema: Type.Number({ minimum: 0, maximum: 65_536 }),
    default: 128,
    description:
      'Megabytes of memory for responses with waveforms and spectra, to serve repeated requests. 0: none.',
  }),
  'vibration.maxAnalysisSamples': setting({
    schema: wholeNumber(1000, 100_000_000),
    default: 2_000_000,
    description:
      'Samples of a waveform that can be analysed: spectrum, PSD, peaks, spectrogram, integral, cable force and tracked frequencies. A longer waveform is stored and served; its analysis gets 400. An analysis takes up to 300 bytes of memory for each sample; one runs at a time.',
  }),
  'tokens.lifetimeDays': setting({
    schema: positive(3650, 'days'),
    default: 30,
    description: 'Days for which an access token is valid. Clients expect 30.',
  }),
  'tokens.keepExpiredDays': setting({
    schema: Type.Number({ minimum: 0, maximum: 3650, unit: 'days' }),
    default: 365,
    description: 'Days for which an expired token can still be refreshed. Then it is deleted.',
  }),
  ...ACCESS_SETTINGS,
  ...SOURCE_SETTINGS,
  ...NOTIFICATION_SETTINGS,
  ...CAMERA_SETTINGS,
  ...MEDIA_SETTINGS,
  ...TRACE_SETTINGS,
  'log.level': setting({
    schema: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
    default: 'info',
    description: 'Lowest level that is logged: fatal, error, warn, info, debug or silent.',
  }),
} as const

export type SettingName = keyof typeof SETTINGS

/** The values of all settings. */
export type Config = { readonly [Name in SettingName]: Static<(typeof SETTINGS)[Name]['schema']> }

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name)

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS).filter(isSettingName)

/** Variables with other names than their settings. */
const VARIABLES: Readonly<Record<string, string>> = { 'storage.url': 'PLUMBLINE_STORAGE' }

/** The environment variable of a setting: `PLUMBLINE_HTTP_MAX_BODY_MEGABYTES` for `http.maxBodyMegabytes`. */
export const environmentName = (name: string): string =>
  VARIABLES[name] ??
  `PLUMBLINE_${name.replaceAll(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase()}`
