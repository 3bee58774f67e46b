import { rmSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashSecret } from '../../../service/src/domain/access/secret.ts'
import { ensureCertificate } from '../../../service/src/http/security/certificate.ts'
import { createApplication, type Credentials } from '../../../service/src/site/applications.ts'
import { applySite } from '../../../service/src/site/apply/apply.ts'
import { openSqlite } from '../../../service/src/storage/sqlite/open.ts'
import { fillService, type Holding } from '../fill.ts'
import { SITE } from '../site.ts'

/** A data folder with the measured site, a reader, an ingest key and a certificate. */
export type DataFolder = AsyncDisposable & {
  readonly path: string
  readonly database: string
  readonly application: Credentials
  readonly ingestKey: string
  readonly tls: { cert: string; key: string }
  /** What a client checks the server against: the certificate itself. */
  readonly ca: string
}

const INGEST_KEY = 'plk_bench'

export async function makeDataFolder(
  holdings: readonly Holding[] = [],
  site = SITE,
): Promise<DataFolder> {
  await using stack = new AsyncDisposableStack()
  const path = await makeTemporaryFolder(stack)
  const application = await introduce(path, site)
  if (holdings.length > 0) fillService(path, holdings)
  const files = await ensureCertificate(path, undefined, Date.now())
  const [cert, key] = await Promise.all([
    readFile(files.certificate, 'utf8'),
    readFile(files.key, 'utf8'),
  ])
  const kept = stack.move()
  return {
    path,
    database: join(path, 'plumbline.db'),
    application,
    ingestKey: INGEST_KEY,
    tls: { cert, key },
    ca: cert,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

export async function makeTemporaryFolder(stack: AsyncDisposableStack): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'plumbline-bench-'))
  const removeAtExit = () => rmSync(path, { recursive: true, force: true })
  process.once('exit', removeAtExit)
  stack.defer(async () => {
    await rm(path, { recursive: true, force: true })
    process.removeListener('exit', removeAtExit)
  })
  return path
}

async function introduce(path: string, site: string): Promise<Credentials> {
  await using storage = await openSqlite(path)
  await applySite(storage, { text: site, fileName: 'site.yaml' })
  await storage.ingestKeys.add('bench', hashSecret(INGEST_KEY), Date.now())
  return await createApplication(storage, { userId: 1, name: 'bench', scope: 'admin' })
}
