import { LOOPBACK } from './loopback.ts'
import type { ConsistencyCheck, ReportSetting } from './consistency-check.ts'
import type { Config } from './settings.ts'

/** Checks notification settings across channels and rules, such as the channel names of rules. */
export const NOTIFICATION_CHECK: ConsistencyCheck = {
  reads: [
    'notifications.webhooks',
    'notifications.mail',
    'notifications.mqtt',
    'notifications.rules',
    'notifications.retryFirstSeconds',
    'notifications.retryMaxMinutes',
  ],
  check(config, report) {
    const names = checkChannelNames(config, report)
    checkRules(config, names, report)
    checkMailTls(config, report)
    checkSecrets(config, report)
    if (config['notifications.retryFirstSeconds'] > config['notifications.retryMaxMinutes'] * 60)
      report(
        'notifications.retryFirstSeconds',
        [],
        'notifications.retryFirstSeconds must not be longer than notifications.retryMaxMinutes',
      )
  },
}

const CHANNELS = ['notifications.webhooks', 'notifications.mail', 'notifications.mqtt'] as const

function checkChannelNames(config: Config, report: ReportSetting): ReadonlySet<string> {
  const names = new Set<string>()
  for (const list of CHANNELS)
    for (const [at, { name }] of config[list].entries()) {
      if (names.has(name))
        report(list, [at, 'name'], `notifications has two channels with the name ${name}`)
      names.add(name)
    }
  return names
}

function checkRules(config: Config, names: ReadonlySet<string>, report: ReportSetting): void {
  const setting = 'notifications.rules'
  const rules = config[setting]
  for (const [at, { name, to }] of rules.entries()) {
    if (rules.findIndex((other) => other.name === name) !== at)
      report(setting, [at, 'name'], `notifications.rules has two rules with the name ${name}`)
    for (const [place, channel] of to.entries()) {
      if (names.has(channel)) continue
      const channelList =
        names.size === 0 ? 'there are none' : `the channels are ${Array.from(names).join(', ')}`
      const unknown = `there is no channel ${JSON.stringify(channel)}; ${channelList}`
      report(setting, [at, 'to', place], `notifications.rules[${at}].to: ${unknown}`)
    }
  }
}

function checkMailTls(config: Config, report: ReportSetting): void {
  for (const [at, { tls, host }] of config['notifications.mail'].entries())
    if (tls === 'off' && !LOOPBACK.test(host))
      report(
        'notifications.mail',
        [at, 'tls'],
        `notifications.mail[${at}].tls may be off only where host is a loopback address`,
      )
}

function checkSecrets(config: Config, report: ReportSetting): void {
  for (const [at, { secret, secretFile }] of config['notifications.webhooks'].entries()) {
    const given = [secret, secretFile].filter((one) => one !== undefined).length
    if (given === 1) continue
    const where = `notifications.webhooks[${at}]`
    const sentence =
      given === 0 ? `${where} needs secretFile or secret` : mayHaveOne(where, 'secret')
    report('notifications.webhooks', [at], sentence)
  }
  for (const list of ['notifications.mail', 'notifications.mqtt'] as const)
    for (const [at, { password, passwordFile }] of config[list].entries())
      if (password !== undefined && passwordFile !== undefined)
        report(list, [at, 'password'], mayHaveOne(`${list}[${at}]`, 'password'))
}

const mayHaveOne = (where: string, name: string): string =>
  `${where} may have ${name} or ${name}File, not both`
