import { createHmac } from 'node:crypto'

/**
 * The signature that a receiver checks: `t=<unix seconds>,v1=<hex>`, the HMAC with SHA-256 of the time,
 * a full stop and the body, by the shared secret.
 */
export function signatureOf(body: string, secret: string, unixSeconds: number): string {
  const code = createHmac('sha256', secret).update(`${unixSeconds}.${body}`).digest('hex')
  return `t=${unixSeconds},v1=${code}`
}
