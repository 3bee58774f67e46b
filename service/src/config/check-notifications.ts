import { RefusedError } from '../errors/refused-error.ts'
import type { Config } from './settings.ts'

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/

/** Checks notification settings across channels and rules, such as the channel names of rules. */
export function checkNotifications(config: Config): void {
  const channels = [
    ...config['notifications.webhooks'],
    ...config['notifications.mail'],
    ...config['notifications.mqtt'],
  ]
  const names = channels.map(({ name }) => name)
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined)
    throw refuse(`notifications has two channels with the name ${repeated}`)

  const rules = config['notifications.rules']
  for (const [at, { name, to }] of rules.entries()) {
    if (rules.findIndex((other) => other.name === name) !== at)
      throw refuse(`notifications.rules has two rules with the name ${name}`)
    const unknown = to.find((channel) => !names.includes(channel))
    if (unknown === undefined) continue
    const channelList =
      names.length === 0 ? 'there are none' : `the channels are ${names.join(', ')}`
    throw refuse(
      `notifications.rules[${at}].to: there is no channel ${JSON.stringify(unknown)}; ${channelList}`,
    )
  }

  for (const [at, { tls, host }] of config['notifications.mail'].entries())
    if (tls === 'off' && !LOOPBACK.test(host))
      throw refuse(`notifications.mail[${at}].tls may be off only where host is a loopback address`)
  for (const [at, webhook] of config['notifications.webhooks'].entries())
    requireOne(`notifications.webhooks[${at}]`, 'secret', webhook.secret, webhook.secretFile, true)
  for (const list of ['mail', 'mqtt'] as const)
    for (const [at, channel] of config[`notifications.${list}`].entries())
      requireOne(
        `notifications.${list}[${at}]`,
        'password',
        channel.password,
        channel.passwordFile,
        false,
      )
  if (config['notifications.retryFirstSeconds'] > config['notifications.retryMaxMinutes'] * 60)
    throw refuse(
      'notifications.retryFirstSeconds must not be longer than notifications.retryMaxMinutes',
    )
}

function requireOne(
  where: string,
  name: string,
  value: string | undefined,
  file: string | undefined,
  isRequired: boolean,
): void {
  if (value !== undefined && file !== undefined)
    throw refuse(`${where} may have ${name} or ${name}File, not both`)
  if (isRequired && value === undefined && file === undefined)
    throw refuse(`${where} needs ${name}File or ${name}`)
}

const refuse = (sentence: string) => new RefusedError('invalid', sentence)
