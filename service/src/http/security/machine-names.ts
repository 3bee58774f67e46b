import { hostname, networkInterfaces } from 'node:os'
import { parseCertificateName, type CertificateName } from '../../domain/access/certificate-name.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '::1']

/** Addresses that a network gives to itself, which others do not reach by name. */
const LINK_LOCAL = /^(?:fe[89ab]|169\.254\.)/i

/** More addresses than this are those of containers. */
const ADDRESS_MAXIMUM = 30

type Machine = Readonly<{ name: string; addresses: readonly string[] }>

/** The names of a certificate: those of this machine, then further ones, each once. */
export function certificateNames(
  further: readonly string[],
  { name, addresses }: Machine = thisMachine(),
): CertificateName[] {
  const reachable = addresses.filter((address) => !LINK_LOCAL.test(address))
  const texts = [...LOOPBACK, name, ...reachable.slice(0, ADDRESS_MAXIMUM), ...further]
  const names = texts.flatMap((text) => parseCertificateName(text) ?? [])
  return [...new Map(names.map((one) => [one.value, one])).values()]
}

function thisMachine(): Machine {
  const addresses = Object.values(networkInterfaces()).flatMap((entries = []) =>
    entries.flatMap(({ address, internal }) => (internal ? [] : [address])),
  )
  return { name: hostname(), addresses }
}
