import { X509Certificate } from 'node:crypto'
import { readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writePrivate } from '../../storage/private-files.ts'
import type { CertificateFiles } from './certificate.ts'
import { CLOCK_MARGIN, makeCertificate, OWN_NAME } from './make-certificate.ts'

const DAY = 86_400_000
/** The next certificate is made so long before the end of the one in use. */
const AHEAD = 60 * DAY
/** Clients on other machines have so long to get it. */
const NOTICE = 30 * DAY
/** Ours are never valid for longer; earlier versions made some of ten years. */
const LONGEST = 800 * DAY

/** `isPlanned`: it was announced, and nobody has to do anything now. */
export type Renewal = { isPlanned: boolean; sentence: string }

export const isOurs = ({ subject, issuer }: X509Certificate): boolean =>
  subject === OWN_NAME && issuer === OWN_NAME

/**
 * Renews a certificate of our own: the next one lies beside it for a month before it is used.
 *
 * Its key stays, so clients that know the key notice nothing. Leaves certificates of others alone.
 */
export async function renewCertificate(
  { certificate: file, key }: CertificateFiles,
  now: number,
): Promise<Renewal | undefined> {
  const current = new X509Certificate(await readFile(file))
  if (!isOurs(current)) return undefined
  const reason = whyDue(current, now)
  if (reason === undefined) return undefined
  const nextFile = join(dirname(file), 'certificate-next.pem')
  const next = await readNext(nextFile, now)
  if (next === undefined) {
    const fresh = await makeCertificate(await readFile(key, 'utf8'), now)
    await writePrivate(`${nextFile}.new`, fresh)
    await rename(`${nextFile}.new`, nextFile)
  }
  const preparedAt = next === undefined ? now : next.validFromDate.getTime() + CLOCK_MARGIN
  const useAt = Math.min(preparedAt + NOTICE, current.validToDate.getTime() - DAY)
  if (now >= useAt || now < current.validFromDate.getTime()) {
    await rename(nextFile, file)
    const isPlanned = next !== undefined && isValid(current, now)
    return { isPlanned, sentence: `${file} was renewed, with the key it had: ${reason}` }
  }
  if (next !== undefined) return undefined
  return {
    isPlanned: false,
    sentence: `${file} is renewed on ${day(useAt)}, since ${reason}: until then copy ${nextFile} to clients that trust a copy of it`,
  }
}

function whyDue(certificate: X509Certificate, now: number): string | undefined {
  const { ca, validFromDate, validToDate } = certificate
  const from = validFromDate.getTime()
  const to = validToDate.getTime()
  if (now < from) return `by the clock it is valid from ${day(from)} only`
  if (now > to) return `it ended on ${day(to)}`
  if (ca) return 'it could vouch for other servers'
  if (to - from > LONGEST) return `it was made to hold until ${day(to)}`
  return now > to - AHEAD ? `it ends on ${day(to)}` : undefined
}

const isValid = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  now >= validFromDate.getTime() && now <= validToDate.getTime()

const day = (instant: number): string => new Date(instant).toISOString().slice(0, 10)

/** The next one, if there is one that is good for a year still. */
async function readNext(file: string, now: number): Promise<X509Certificate | undefined> {
  try {
    const next = new X509Certificate(await readFile(file))
    const isGood =
      now >= next.validFromDate.getTime() && now < next.validToDate.getTime() - 365 * DAY
    return isGood ? next : undefined
  } catch {
    return undefined
  }
}
