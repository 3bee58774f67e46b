import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashSecret } from '../../src/domain/access/secret.ts'
import { ensureCertificate } from '../../src/http/security/certificate.ts'
import { applySite } from '../../src/site/apply/apply.ts'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { Storage } from '../../src/storage/storage.ts'

export const KEY = 'plk_of_the_fault_tests'
export const TOKEN = '3f1d7a52-6f1e-4d3c-9a55-0b6a4c1d2e90'
export const STATIONS = 8
/** The sensor that feeds the last station. */
export const SENSOR = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01'

/** A small site in UTC: stations 1 to 8 with the item `v`; the last one is derived from a sensor. */
const siteWith = (thresholds: string): string => `
timeZone: UTC
users: [{ id: 1, name: Office, structures: all }]
structureTypes: [{ id: 1, name: Bridge }]
factors:
  - { id: 1, name: Value, items: [{ id: 11, key: v, name: Value, unit: '', precision: 1 }] }
structures:
  - id: 1
    name: Bridge
    type: 1
    latitude: 0
    longitude: 0
    portrait: ''
    factors:
      - factor: 1
        stations:
${Array.from({ length: STATIONS - 1 }, (_, at) => `          - { id: ${at + 1}, name: S${at + 1}, portrait: '', labels: [] }`).join('\n')}
          - id: ${STATIONS}
            name: Derived
            portrait: ''
            labels: []
            from:
              sensors: [${SENSOR}]
              conversion: { kind: linear, k: 1, v0: 0, c: 0 }
${thresholds}    devices:
      - id: ${SENSOR}
        name: Sensor
        kind: sensor
        items: [{ key: v, name: Value, unit: '' }]
`

export type DataFolder = AsyncDisposable & { readonly folder: string }

/**
 * A data folder with a site, a key and a token, as a stopped service leaves it. With a `storageUrl` these
 * are in that database of PostgreSQL.
 */
export async function makeDataFolder(
  fill?: (storage: Storage) => Promise<void>,
  thresholds = '',
  storageUrl?: string,
): Promise<DataFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-faults-'))
  await using storage = await (storageUrl === undefined
    ? openSqlite(folder)
    : openPostgres(storageUrl, { poolSize: 3, statementTimeoutSeconds: 60 }))
  await applySite(storage, { text: siteWith(thresholds), fileName: 'site.yaml' })
  await storage.ingestKeys.add('faults', hashSecret(KEY), 0)
  const application = { id: 'app', userId: 1, name: '', scope: 'admin', createdAt: 0 } as const
  await storage.applications.add(application, hashSecret(''))
  const hash = hashSecret(TOKEN)
  const expiresAt = 4_102_444_800_000
  await storage.tokens.add({ hash, applicationId: 'app', issuedAt: 0, expiresAt })
  await fill?.(storage)
  await ensureCertificate(folder, undefined, Date.now())
  return {
    folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
