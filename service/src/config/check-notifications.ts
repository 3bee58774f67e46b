import { RefusedError } from '../errors/refused-error.ts'
import type { Config } from './settings.ts'

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/

/** Refuses what cannot be meant of telling: a rule without its channel, two of one name. */
export function checkTelling(config: Config): void {
  const channels = [
    ...config['telling.webhooks'],
    ...config['telling.mail'],
    ...config['telling.mqtt'],
  ]
  const names = channels.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw refuse(`telling has two channels of the name ${twice}`)

  const rules = config['telling.rules']
  for (const [at, { name, to }] of rules.entries()) {
    if (rules.findIndex((other) => other.name === name) !== at)
      throw refuse(`telling.rules has two rules of the name ${name}`)
    const strange = to.find((channel) => !names.includes(channel))
    if (strange === undefined) continue
    const known = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`
    throw refuse(
      `telling.rules[${at}].to: there is no channel ${JSON.stringify(strange)}; ${known}`,
    )
  }

  for (const [at, { tls, host }] of config['telling.mail'].entries())
    if (tls === 'off' && !LOOPBACK.test(host))
      throw refuse(`telling.mail[${at}].tls may be off only where host is a loopback address`)
  for (const [at, webhook] of config['telling.webhooks'].entries())
    requireOne(`telling.webhooks[${at}]`, 'secret', webhook.secret, webhook.secretFile, true)
  for (const list of ['mail', 'mqtt'] as const)
    for (const [at, channel] of config[`telling.${list}`].entries())
      requireOne(
        `telling.${list}[${at}]`,
        'password',
        channel.password,
        channel.passwordFile,
        false,
      )
  if (config['telling.retryFirstSeconds'] > config['telling.retryLongestMinutes'] * 60)
    throw refuse('telling.retryFirstSeconds must not be longer than telling.retryLongestMinutes')
}

function requireOne(
  where: string,
  name: string,
  value: string | undefined,
  file: string | undefined,
  isNeeded: boolean,
): void {
  if (value !== undefined && file !== undefined)
    throw refuse(`${where} may have ${name} or ${name}File, not both`)
  if (isNeeded && value === undefined && file === undefined)
    throw refuse(`${where} needs ${name}File or ${name}`)
}

const refuse = (sentence: string) => new RefusedError('invalid', sentence)
