import { X509Certificate } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CertificateFiles } from './certificate.ts'
import { makeCertificate, OWN_NAME } from './make-certificate.ts'

const DAY = 86_400_000
/** The next certificate is made so long before the end of the one in use. */
const AHEAD = 60 * DAY
/** Clients on other machines have so long to get it. */
const NOTICE = 30 * DAY
/** Ours are never valid for longer; earlier versions made some of ten years. */
const LONGEST = 800 * DAY

export type Renewal = { is: 'prepared' | 'renewed'; sentence: string }

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
  if (current.subject !== OWN_NAME || current.issuer !== OWN_NAME) return undefined
  if (!isDue(current, now)) return undefined
  const nextFile = join(dirname(file), 'certificate-next.pem')
  const next = await readNext(nextFile, now)
  if (next === undefined) {
    const fresh = await makeCertificate(await readFile(key, 'utf8'), now)
    await writeFile(`${nextFile}.new`, fresh, { flush: true })
    await rename(`${nextFile}.new`, nextFile)
  }
  const preparedAt = next === undefined ? now : next.validFromDate.getTime() + DAY
  const useAt = Math.min(preparedAt + NOTICE, current.validToDate.getTime() - DAY)
  if (now >= useAt || now < current.validFromDate.getTime()) {
    await rename(nextFile, file)
    return { is: 'renewed', sentence: `${file} was renewed, with the key it had` }
  }
  if (next !== undefined) return undefined
  return {
    is: 'prepared',
    sentence: `${file} is renewed on ${new Date(useAt).toISOString().slice(0, 10)}: until then copy ${nextFile} to clients that trust a copy of it`,
  }
}

function isDue({ ca, validFromDate, validToDate }: X509Certificate, now: number): boolean {
  const from = validFromDate.getTime()
  const to = validToDate.getTime()
  return ca || to - from > LONGEST || now < from || now > to - AHEAD
}

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
