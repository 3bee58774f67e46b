import { NOTIFICATION_CHECK } from './check-notifications.ts'
import { MEDIA_CHECK } from './check-media.ts'
import type { ConsistencyCheck, ReportSetting } from './consistency-check.ts'
import { LOOPBACK } from './loopback.ts'
import type { Config, SettingName } from './settings.ts'

const CHECKS: readonly ConsistencyCheck[] = [
  {
    reads: ['http.certificate', 'http.key'],
    check(config, report) {
      const hasCertificate = config['http.certificate'] !== ''
      if (hasCertificate === (config['http.key'] !== '')) return
      const given = hasCertificate ? 'http.certificate' : 'http.key'
      report(given, [], 'http.certificate and http.key must be set both or neither')
    },
  },
  {
    reads: ['ingest.broker.tls', 'ingest.broker.host'],
    check(config, report) {
      if (config['ingest.broker.tls'] === 'on' || LOOPBACK.test(config['ingest.broker.host']))
        return
      const sentence =
        'ingest.broker.tls may be off only where ingest.broker.host is a loopback address'
      report('ingest.broker.tls', [], sentence)
    },
  },
  {
    reads: ['ingest.mqtt'],
    check(config, report) {
      const names = config['ingest.mqtt'].map(({ name }) => name)
      for (const [at, name] of names.entries())
        if (names.indexOf(name) !== at)
          report('ingest.mqtt', [at, 'name'], `ingest.mqtt has two brokers with the name ${name}`)
    },
  },
  {
    reads: ['storage.warnFreeMegabytes', 'storage.stopFreeMegabytes'],
    check(config, report) {
      const warn = config['storage.warnFreeMegabytes']
      if (warn === 0 || config['storage.stopFreeMegabytes'] < warn) return
      const sentence =
        'storage.stopFreeMegabytes must be smaller than storage.warnFreeMegabytes, so that the warning comes before the stop; 0 turns either off'
      report('storage.stopFreeMegabytes', [], sentence)
    },
  },
  {
    reads: ['backup.continuous.to', 'storage.url'],
    check(config, report) {
      if (config['backup.continuous.to'] === '' || config['storage.url'] === 'sqlite') return
      const sentence =
        'backup.continuous.to copies a data folder with its database; with PostgreSQL archive the write-ahead log of the server instead'
      report('backup.continuous.to', [], sentence)
    },
  },
  {
    reads: ['traces.url', 'traces.headerFile'],
    check(config, report) {
      const { protocol, hostname } = URL.parse(config['traces.url']) ?? {}
      if (config['traces.headerFile'] === '' || protocol !== 'http:') return
      if (LOOPBACK.test(hostname ?? '')) return
      const sentence =
        'traces.url must begin with https:// where traces.headerFile is set, unless its host is a loopback address'
      report('traces.url', [], sentence)
    },
  },
  MEDIA_CHECK,
  NOTIFICATION_CHECK,
]

/** Checks settings against each other, unless one of them is refused already. */
export function checkConsistency(
  config: Config,
  refused: ReadonlySet<SettingName>,
  report: ReportSetting,
): void {
  for (const { reads, check } of CHECKS)
    if (!reads.some((name) => refused.has(name))) check(config, report)
}
