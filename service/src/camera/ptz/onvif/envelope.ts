import { createHash } from 'node:crypto'
import { escapeXml } from './xml.ts'

const OASIS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-'

/** A name and a digest of a password, as WS-Security has them. */
export type UsernameToken = Readonly<{
  user: string
  password: string
  nonce: Uint8Array
  /** By the clock of the camera, in milliseconds since 1970. */
  createdAt: number
}>

/** The SOAP 1.2 envelope of a request. */
export const writeEnvelope = (body: string, token?: UsernameToken): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope">${
    token === undefined ? '' : `<s:Header>${writeToken(token)}</s:Header>`
  }<s:Body>${body}</s:Body></s:Envelope>`

/** `Base64(SHA-1(nonce + created + password))`, the password digest of the UsernameToken profile. */
export const passwordDigest = (nonce: Uint8Array, created: string, password: string): string =>
  createHash('sha1').update(nonce).update(created).update(password).digest('base64')

function writeToken({ user, password, nonce, createdAt }: UsernameToken): string {
  const created = new Date(createdAt).toISOString()
  return [
    `<Security s:mustUnderstand="1" xmlns="${OASIS}wssecurity-secext-1.0.xsd"><UsernameToken>`,
    `<Username>${escapeXml(user)}</Username>`,
    `<Password Type="${OASIS}username-token-profile-1.0#PasswordDigest">`,
    `${passwordDigest(nonce, created, password)}</Password>`,
    `<Nonce EncodingType="${OASIS}soap-message-security-1.0#Base64Binary">`,
    `${Buffer.from(nonce).toString('base64')}</Nonce>`,
    `<Created xmlns="${OASIS}wssecurity-utility-1.0.xsd">${created}</Created>`,
    '</UsernameToken></Security>',
  ].join('')
}
