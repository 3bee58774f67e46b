import { renewByHand, showCertificates } from '../startup/certificate-by-hand.ts'
import { chooseSubcommand, type Command } from './command.ts'
import { loadSettings } from './load-settings.ts'

export const certificate: Command = {
  summary: 'show or renew the certificate of the service',
  usage: 'plumbline certificate show | renew  [--json]',
  help: `Clients check the certificate against the name or address by which they reach the service. The certificate
that the service makes has the names and addresses of this machine and those of http.certificateNames.

  show     show fingerprint, names and days left of the certificate, and of the next one
  renew    make a new certificate now, with the same key and the current names; a running service uses
           it within a minute. Clients that trust a copy of the old one need a copy of the new one.

  --json   print JSON`,
  options: { json: { type: 'boolean' } },
  subcommands: ['show', 'renew'],

  async run(context) {
    const list = chooseSubcommand(ACTIONS, context)
    const { dataFolder, flags, print } = context
    const config = await loadSettings(context)
    const found = await list({ config, dataFolder, now: Date.now() })
    if (flags['json'] === true) return print(JSON.stringify(found))
    print(found.map(describe).join('\n\n'))
  },
}

const ACTIONS = { show: showCertificates, renew: renewByHand } as const

type Description = Awaited<ReturnType<typeof showCertificates>>[number]

function describe(found: Description): string {
  const { file, isOwn, issuer, subject, fingerprint, pin, names, daysLeft } = found
  const origin = isOwn
    ? 'made by the service'
    : `${subject.replaceAll('\n', ', ')}, issued by ${issuer.replaceAll('\n', ', ')}`
  const left = daysLeft < 0 ? 'it has ended' : `${daysLeft} days left`
  const lines: [name: string, value: string][] = [
    ['certificate', file],
    ['origin', origin],
    ['names', names.join(', ')],
    ['valid', `${day(found.validFrom)} to ${day(found.validUntil)}, ${left}`],
    ['fingerprint', fingerprint],
    ['public key', pin],
  ]
  return lines.map(([name, value]) => `${`${name}:`.padEnd(13)}${value}`).join('\n')
}

const day = (instant: number): string => new Date(instant).toISOString().slice(0, 10)
