import { ACCESS_SETTINGS } from './access-settings.ts'
import { HTTP_SETTINGS } from './http-settings.ts'
import { INGEST_SETTINGS, SOURCE_SETTINGS } from './ingest-settings.ts'
import { isPort } from './port.ts'
import { setting } from './setting.ts'
import { STORAGE_SETTINGS } from './storage-settings.ts'
import { NOTIFICATION_SETTINGS } from './notification-settings.ts'

const isAddress = (value: string): boolean => URL.canParse(value)

/**
 * Everything an operator can set, by its place in the file.
 *
 * The sample file, the environment variables and the checks are made from this one table.
 */
export const SETTINGS = {
  ...HTTP_SETTINGS,
  'ops.host': setting({
    default: '127.0.0.1',
    description: 'Address of health and metrics, plain HTTP: keep it on this machine.',
  }),
  'ops.port': setting({
    default: 8444,
    description: 'Port of /health/live, /health/ready and /metrics; 0 turns them off.',
    expected: 'a port from 0 to 65535',
    accepts: isPort,
  }),
  ...STORAGE_SETTINGS,
  ...INGEST_SETTINGS,
  'alarms.offlineCheckSeconds': setting({
    default: 30,
    description:
      'How often devices are looked at, to tell which have fallen silent or are in contact again; 0 never does.',
    expected: 'a number of seconds from 0 to 3600',
    accepts: (value) => value >= 0 && value <= 3600,
  }),
  'vibration.cacheMegabytes': setting({
    default: 128,
    description:
      'So much memory keeps finished answers of waveforms and spectra, for those who ask again; 0 keeps none.',
    expected: 'a number from 0 to 65536',
    accepts: (value) => value >= 0 && value <= 65_536,
  }),
  'vibration.maxAnalysisSamples': setting({
    default: 2_000_000,
    description:
      'Samples of a waveform that is analysed: spectrum, PSD, peaks, spectrogram, integral, cable force and tracked frequencies. A longer one is stored and served; analysing it: 400. An analysis takes up to 300 bytes of memory for each sample, one at a time.',
    expected: 'a whole number from 1000 to 100000000',
    accepts: (value) => Number.isInteger(value) && value >= 1000 && value <= 100_000_000,
  }),
  'tokens.lifetimeDays': setting({
    default: 30,
    description: 'How long an access token is valid; clients of the interface count on 30.',
    expected: 'a number of days above 0, at most 3650',
    accepts: (value) => value > 0 && value <= 3650,
  }),
  'tokens.keepExpiredDays': setting({
    default: 365,
    description: 'How long an expired token can still be refreshed; then it is forgotten.',
    expected: 'a number of days from 0 to 3650',
    accepts: (value) => value >= 0 && value <= 3650,
  }),
  ...ACCESS_SETTINGS,
  ...SOURCE_SETTINGS,
  ...NOTIFICATION_SETTINGS,
  'media.hls': setting({
    default: 'https://localhost:8443/media/hls',
    description: 'Base address of HLS playback, as players reach it.',
    expected: 'a URL',
    accepts: isAddress,
  }),
  'media.rtmp': setting({
    default: 'rtmp://localhost:1935/live',
    description: 'Base address of RTMP playback.',
    expected: 'a URL',
    accepts: isAddress,
  }),
  'media.flv': setting({
    default: 'https://localhost:8443/media/flv',
    description: 'Base address of HTTP-FLV playback.',
    expected: 'a URL',
    accepts: isAddress,
  }),
  'log.level': setting({
    default: 'info',
    description: 'How much is logged: fatal, error, warn, info, debug or silent.',
    expected: 'fatal, error, warn, info, debug or silent',
    accepts: (value) => ['fatal', 'error', 'warn', 'info', 'debug', 'silent'].includes(value),
  }),
} as const

export type SettingName = keyof typeof SETTINGS

export type Config = { readonly [Name in SettingName]: Widen<(typeof SETTINGS)[Name]['default']> }

/** The type of a default, not the default itself. */
type Widen<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends string[]
      ? string[]
      : Value

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

/** `http.maxBodyMegabytes` is `PLUMBLINE_HTTP_MAX_BODY_MEGABYTES`. */
export const environmentName = (name: string): string =>
  `PLUMBLINE_${name.replaceAll(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase()}`
