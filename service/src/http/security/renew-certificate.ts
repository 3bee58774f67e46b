import { X509Certificate } from 'node:crypto'
import { readFile, rename, rm } from 'node:fs/promises'
import { writePrivate } from '../../storage/private-files.ts'
import { nextFileOf, type CertificateFiles } from './certificate.ts'
import { CLOCK_MARGIN, makeCertificate, OWN_NAME } from './make-certificate.ts'

const DAY = 86_400_000
/** The next certificate is made this long before the end of the one in use. */
const RENEWAL = 60 * DAY
/** The next certificate lies beside the one in use for this time, so that it can be copied to clients. */
const NOTICE = 30 * DAY
/** A certificate that is valid for longer is renewed: some browsers refuse it. */
const LONGEST = 800 * DAY

/** A renewal to log; a planned one was announced before and needs no action. */
type Renewal = { isPlanned: boolean; sentence: string }

/** Whether the service made the certificate. */
export const isOwn = ({ subject, issuer }: X509Certificate): boolean =>
  subject === OWN_NAME && issuer === OWN_NAME

/**
 * Renews a certificate of the service: makes the next one, which lies beside it for a month, then
 * uses it. The key stays the same, so clients that pin the key accept both.
 *
 * Returns what to log; does nothing with other certificates.
 */
export async function renewCertificate(
  files: CertificateFiles,
  now: number,
): Promise<Renewal | undefined> {
  const { certificate: file } = files
  const current = new X509Certificate(await readFile(file))
  if (!isOwn(current)) return undefined
  const reason = whyDue(current, now)
  if (reason === undefined) return undefined
  const nextFile = nextFileOf(files)
  const next = await readNext(nextFile, now)
  if (next === undefined) await makeAt(nextFile, files, now)
  const preparedAt = next === undefined ? now : next.validFromDate.getTime() + CLOCK_MARGIN
  const useAt = Math.min(preparedAt + NOTICE, current.validToDate.getTime() - DAY)
  if (now >= useAt || now < current.validFromDate.getTime()) {
    await rename(nextFile, file)
    const isPlanned = next !== undefined && isValid(current, now)
    return { isPlanned, sentence: `${file} was renewed with the same key: ${reason}.` }
  }
  if (next !== undefined) return undefined
  return {
    isPlanned: false,
    sentence: `${file} will be renewed on ${day(useAt)}: ${reason}. Until then copy ${nextFile} to clients that trust a copy of the certificate.`,
  }
}

/**
 * Makes a certificate with the same key and uses it at once, without notice for clients that trust a
 * copy of the one before. The next one that lies beside it is removed.
 */
export async function renewAtOnce(files: CertificateFiles, now: number): Promise<void> {
  await makeAt(files.certificate, files, now)
  await rm(nextFileOf(files), { force: true })
}

/** Makes a certificate in a file, which it replaces as a whole. */
async function makeAt(
  file: string,
  { key, names = [] }: CertificateFiles,
  now: number,
): Promise<void> {
  const pem = await makeCertificate(await readFile(key, 'utf8'), now, names)
  await writePrivate(`${file}.new`, pem)
  await rename(`${file}.new`, file)
}

function whyDue(certificate: X509Certificate, now: number): string | undefined {
  const { ca, validFromDate, validToDate } = certificate
  const from = validFromDate.getTime()
  const to = validToDate.getTime()
  if (now < from) return `by the clock it is not valid before ${day(from)}`
  if (now > to) return `it ended on ${day(to)}`
  if (ca) return 'it could sign certificates of other servers'
  if (to - from > LONGEST) return `it is valid until ${day(to)}, which some clients refuse`
  return now > to - RENEWAL ? `it ends on ${day(to)}` : undefined
}

const isValid = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  now >= validFromDate.getTime() && now <= validToDate.getTime()

const day = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

/** The next certificate, if it exists and is valid for another year. */
async function readNext(file: string, now: number): Promise<X509Certificate | undefined> {
  try {
    const next = new X509Certificate(await readFile(file))
    const isUsable =
      now >= next.validFromDate.getTime() && now < next.validToDate.getTime() - 365 * DAY
    return isUsable ? next : undefined
  } catch {
    return undefined
  }
}
