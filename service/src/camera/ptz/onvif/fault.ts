import { OnvifError } from './onvif-error.ts'
import { findElement, type XmlElement } from './xml.ts'

/** Codes by which cameras refuse a user or a password. */
const UNAUTHORIZED = new Set(['NotAuthorized', 'FailedAuthentication', 'InvalidSecurityToken'])

/** The error for a fault of a camera; undefined for an answer without one. */
export function readFault(envelope: XmlElement): OnvifError | undefined {
  const fault = findElement(envelope, 'Body', 'Fault')
  if (fault === undefined) return undefined
  const codes = codesOf(fault)
  if (codes.some((code) => UNAUTHORIZED.has(code)))
    return new OnvifError('unauthorized', 'refuses the user name or the password')
  const last = codes.at(-1)
  return new OnvifError(
    'fault',
    last === undefined ? 'refuses the command' : `refuses the command (${last})`,
    { codes },
  )
}

/** The codes of SOAP 1.2, from the general one to the particular one, or that of SOAP 1.1. */
function codesOf(fault: XmlElement): string[] {
  const texts: string[] = []
  for (let at = findElement(fault, 'Code'); at !== undefined; at = findElement(at, 'Subcode'))
    texts.push(findElement(at, 'Value')?.text ?? '')
  texts.push(findElement(fault, 'faultcode')?.text ?? '')
  return texts
    .map((text) => text.trim().replace(/^.*:/, ''))
    .filter((code) => /^[A-Za-z]{1,40}$/.test(code))
}
