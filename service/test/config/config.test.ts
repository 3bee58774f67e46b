import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { resolveConfig, type ConfigSources } from '../../src/config/config.ts'
import { writeSample } from '../../src/config/sample.ts'
import { environmentName, SETTING_NAMES, SETTINGS } from '../../src/config/settings.ts'

const resolve = (sources: Partial<ConfigSources>) =>
  resolveConfig({ flags: {}, environment: {}, ...sources })

const inFile = (sections: unknown): Partial<ConfigSources> => ({
  file: { name: 'plumbline.yaml', sections },
})

const mqtt = (...brokers: object[]) => resolve(inFile({ ingest: { mqtt: brokers } }))

const ownBroker = (host: string) => inFile({ ingest: { broker: { port: 1, tls: 'off', host } } })

const brokerThatMerges = (merge: boolean) => ({
  ingest: {
    mqtt: [{ name: 'a', url: 'mqtt://b:1', subscriptions: [{ topic: 't', merge }] }],
  },
})

describe('settings', () => {
  test('without settings each has its default', () => {
    const config = resolve({})

    assert.deepEqual(
      config,
      Object.fromEntries(SETTING_NAMES.map((name) => [name, SETTINGS[name].default])),
    )
    assert.equal(config['http.port'], 8443)
    assert.equal(config['ops.port'], 8444)
    assert.equal(config['storage.synchronous'], 'full')
  })

  test('a default passes its own check', () => {
    for (const name of SETTING_NAMES)
      assert.doesNotThrow(() => resolve({ flags: { [name]: SETTINGS[name].default } }), name)
  })

  test('a flag wins over the environment, the environment over the file', () => {
    const file = inFile({ http: { port: 1, host: 'a' }, log: { level: 'warn' } })
    const environment = { PLUMBLINE_HTTP_PORT: '2', PLUMBLINE_HTTP_HOST: 'b' }

    const config = resolve({ ...file, environment, flags: { 'http.port': '3' } })

    assert.deepEqual(
      [config['http.port'], config['http.host'], config['log.level']],
      [3, 'b', 'warn'],
    )
  })

  test('every one is an environment variable, named after its place', () => {
    assert.equal(environmentName('http.maxBodyMegabytes'), 'PLUMBLINE_HTTP_MAX_BODY_MEGABYTES')
    assert.equal(environmentName('ops.port'), 'PLUMBLINE_OPS_PORT')
    assert.equal(new Set(SETTING_NAMES.map(environmentName)).size, SETTING_NAMES.length)
    for (const name of SETTING_NAMES) {
      const { default: value } = SETTINGS[name]
      const given = typeof value === 'number' ? String(value) : ''
      if (given === '') continue
      assert.equal(resolve({ environment: { [environmentName(name)]: given } })[name], value)
    }
  })

  test('a number is written in digits', () => {
    const name = 'http.workers'
    for (const text of ['0x2', '1e1', ' 2', '2 ', '+2', '0b1', 'Infinity', ''])
      assert.throws(
        () => resolve({ flags: { [name]: text }, flagNames: { [name]: 'workers' } }),
        /--workers must be a whole number from 1 to 256/,
        text,
      )
    assert.equal(resolve({ flags: { [name]: '2' } })[name], 2)
    assert.equal(
      resolve({ flags: { 'http.requestTimeoutSeconds': '2.5' } })['http.requestTimeoutSeconds'],
      2.5,
    )
  })

  test('a list is written with commas in the environment, as a list in the file', () => {
    const name = 'http.trustedProxies'
    const environment = { PLUMBLINE_HTTP_TRUSTED_PROXIES: ' 10.0.0.1, 10.1.0.0/16,' }

    assert.deepEqual(resolve({ environment })[name], ['10.0.0.1', '10.1.0.0/16'])
    assert.deepEqual(resolve(inFile({ http: { trustedProxies: ['10.0.0.1'] } }))[name], [
      '10.0.0.1',
    ])
  })

  test('a section or a key without a value is ignored', () => {
    const config = resolve(inFile({ http: null, log: { level: null } }))

    assert.deepEqual(config, resolve({}))
    assert.deepEqual(resolve(inFile(null)), resolve({}))
  })

  test('an unknown setting is refused by name, in any place', () => {
    for (const [sources, words] of [
      [inFile({ http: { prot: 1 } }), 'plumbline.yaml: there is no setting "http.prot"'],
      [inFile({ htp: { port: 1 } }), 'plumbline.yaml: there is no setting "htp.port"'],
      [inFile({ htp: null }), 'plumbline.yaml: there is no setting "htp"'],
      [inFile({ port: 1 }), 'plumbline.yaml: there is no setting "port"'],
      [inFile({ http: 1 }), 'plumbline.yaml: there is no setting "http"'],
      [inFile(parse('__proto__: { port: 1 }')), 'there is no setting "__proto__.port"'],
      [inFile(['http']), 'plumbline.yaml: the file must contain sections such as "http:"'],
      [inFile('http'), 'plumbline.yaml: the file must contain sections such as "http:"'],
      [
        { environment: { PLUMBLINE_HTTP_PROT: '1' } },
        'environment: there is no setting "PLUMBLINE_HTTP_PROT"',
      ],
    ] as const)
      assert.throws(() => resolve(sources), { message: new RegExp(words) })
  })

  test('environment variables of other programs and of the commands are ignored', () => {
    const environment = { PATH: '/bin', PLUMBLINE_DATA: 'd', PLUMBLINE_CONFIG: 'c' }

    assert.deepEqual(resolve({ environment }), resolve({}))
  })

  test('subscriptions may still say merge: true, and are told of replace: whole instead of false', () => {
    assert.equal(resolve(inFile(brokerThatMerges(true)))['ingest.mqtt'].length, 1)
    assert.throws(
      () => resolve(inFile(brokerThatMerges(false))),
      /subscriptions\[0\]\.merge: expected true or nothing; messages that replace records whole have replace: whole/,
    )
  })

  test('an unknown setting is refused with a near one, or with those that there are', () => {
    for (const [sources, words] of [
      [inFile({ http: { prot: 1 } }), 'http.prot" (did you mean http.port?)'],
      [inFile({ htp: { port: 1 } }), 'htp.port" (did you mean http.port?)'],
      [inFile({ htp: { port: 1, hots: 'x' } }), 'htp.hots" (did you mean http.host?)'],
      [inFile({ synchronous: 'off' }), 'synchronous" (did you mean storage.synchronous?)'],
      [
        inFile({ ops: { address: 'x' } }),
        'ops.address"; the settings of ops are ops.host, ops.port',
      ],
      [inFile({ zzz: { y: 1 } }), 'zzz.y"; the sections are http, console, ops, '],
      [inFile({ http: 'x' }), 'http": it is a section'],
      [
        { environment: { PLUMBLINE_HTTP_PROT: '1' } },
        'PLUMBLINE_HTTP_PROT" (did you mean PLUMBLINE_HTTP_PORT?)',
      ],
    ] as const)
      assert.throws(
        () => resolve(sources),
        ({ message }: Error) => message.includes(words) || assert.fail(message),
      )
  })

  test('a wrong choice is refused with a near one', () => {
    assert.throws(() => resolve(inFile({ log: { level: 'wran' } })), {
      message: /^plumbline\.yaml: log\.level must be one of .* \(did you mean warn\?\)$/,
    })
  })

  test('only wrong flags are errors of the command line', () => {
    const flags = { 'http.port': 'x' }

    for (const [sources, isOfFlags] of [
      [{ flags }, true],
      [{ flags, environment: { PLUMBLINE_OPS_PORT: 'x' } }, false],
      [{ environment: { PLUMBLINE_OPS_PORT: 'x' } }, false],
    ] as const)
      assert.throws(() => resolve(sources), { name: 'SettingsError', isOfFlags })
  })

  test('a wrong value is refused with its name and what is expected', () => {
    for (const [sources, message] of [
      [{ flags: { 'http.port': 'x' } }, '--port must be a port from 0 to 65535'],
      [{ flags: { 'http.port': '70000' } }, '--port must be a port from 0 to 65535'],
      [
        { environment: { PLUMBLINE_OPS_PORT: '' } },
        'PLUMBLINE_OPS_PORT must be a port from 0 to 65535',
      ],
      [inFile({ http: { host: 7 } }), 'plumbline.yaml: http.host must be text'],
      [
        inFile({ http: { port: '1.5' } }),
        'plumbline.yaml: http.port must be a port from 0 to 65535',
      ],
      [
        inFile({ http: { trustedProxies: [1] } }),
        'plumbline.yaml: http.trustedProxies[0]: expected text',
      ],
      [
        { environment: { PLUMBLINE_HTTP_TRUSTED_PROXIES: '10.0.0.1, 10.0.0.0/33' } },
        'PLUMBLINE_HTTP_TRUSTED_PROXIES must be a list of addresses or networks such as 10.0.0.0/8',
      ],
      [
        inFile({ storage: { poolSize: 3 } }),
        'plumbline.yaml: storage.poolSize must be a whole number from 4 to 1000',
      ],
      [
        inFile({ storage: { synchronous: 'maybe' } }),
        'plumbline.yaml: storage.synchronous must be one of full, off',
      ],
      [
        inFile({ media: { hls: 'nowhere' } }),
        'plumbline.yaml: media.hls must be an address such as https://media.example/{camera}-{quality}.flv?grant={grant} with the placeholders {camera}, {serialNo}, {channel}, {quality}, {grant}, {expires}, or empty',
      ],
      [
        inFile({ media: { rtmp: 'rtmp://h/{stream}' } }),
        'plumbline.yaml: media.rtmp must be an address such as https://media.example/{camera}-{quality}.flv?grant={grant} with the placeholders {camera}, {serialNo}, {channel}, {quality}, {grant}, {expires}, or empty',
      ],
      [
        inFile({ media: { flv: 'https://h/{camera}.flv' } }),
        'plumbline.yaml: media.flv must contain {grant}, unless media.signing names a scheme with a key',
      ],
      [
        inFile({ media: { signing: 'tencent' } }),
        'plumbline.yaml: media.signing tencent needs media.signingKeyFile',
      ],
      [
        inFile({ cameras: { hosts: ['192.168.0.0/33'] } }),
        'plumbline.yaml: cameras.hosts must be a list of host names, addresses and networks such as 192.168.0.0/16',
      ],
      [
        inFile({ tokens: { lifetimeDays: 0 } }),
        'plumbline.yaml: tokens.lifetimeDays must be a number of days above 0 and at most 3650',
      ],
      [
        inFile({ log: { level: 'loud' } }),
        'plumbline.yaml: log.level must be one of fatal, error, warn, info, debug, silent',
      ],
      [
        { flags: { 'http.certificate': 'a.pem' } },
        'http.certificate and http.key must be set both or neither',
      ],
    ] as const)
      assert.throws(() => resolve(sources as Partial<ConfigSources>), { message })
  })
})

describe('lists of objects', () => {
  const broker = {
    name: 'site',
    url: 'mqtts://broker:8883',
    password: 'top-secret',
    subscriptions: [{ topic: 'a/{sensor}', preset: 'tsValues' }],
  }

  test('are read from the file, and as JSON from the environment', () => {
    assert.deepEqual(mqtt(broker)['ingest.mqtt'], [broker])
    const environment = { PLUMBLINE_INGEST_MQTT: JSON.stringify([broker]) }
    assert.deepEqual(resolve({ environment })['ingest.mqtt'], [broker])
  })

  test('are refused with the place that is wrong, without a value', () => {
    for (const [brokers, words] of [
      [[{ ...broker, url: 'mqtt://me:top-secret@host' }], 'ingest.mqtt[0].url'],
      [[broker, { ...broker, prot: 1 }], 'ingest.mqtt[1].prot: there is no such key'],
      [[{ ...broker, url: undefined }], 'ingest.mqtt[0]: url is missing'],
      [[{ ...broker, version: 3 }], 'ingest.mqtt[0].version: expected one of 4, 5'],
      [[{ ...broker, connections: 0 }], 'ingest.mqtt[0].connections'],
      [[{ ...broker, subscriptions: [] }], 'ingest.mqtt[0].subscriptions'],
      [
        [{ ...broker, subscriptions: [{ topic: 'a', preset: 'top-secret' }] }],
        'ingest.mqtt[0].subscriptions[0].preset: expected one of tsValues',
      ],
      [[broker, broker], 'two brokers with the name site'],
    ] as [object[], string][])
      assert.throws(
        () => mqtt(...brokers),
        ({ message }: Error) => {
          assert.ok(message.includes(words), message)
          assert.ok(!message.includes('top-secret'), message)
          return true
        },
      )
    assert.throws(() => resolve(inFile({ ingest: { mqtt: 'x' } })), /must be a list/)
    assert.throws(() => resolve({ environment: { PLUMBLINE_INGEST_MQTT: '{' } }), /must be a list/)
  })

  test('the broker allows connections without TLS on a loopback address only', () => {
    assert.throws(() => resolve(ownBroker('0.0.0.0')), /may be off only/)
    assert.equal(resolve(ownBroker('127.0.0.1'))['ingest.broker.tls'], 'off')
  })
})

describe('notifications', () => {
  const hook = { name: 'hook', url: 'https://x/', secret: 'top-secret' }
  const mail = { name: 'mail', host: 'mail.example', from: 'a@b', to: ['c@d'] }
  const mqttChannel = { name: 'scada', url: 'mqtts://b', topic: 't' }
  const rule = { name: 'all', to: ['hook'] }

  const notifications = (parts: object) =>
    resolve(inFile({ notifications: { webhooks: [hook], rules: [rule], ...parts } }))

  test('need channels and rules that name them', () => {
    const config = notifications({ mail: [mail], mqtt: [mqttChannel] })

    assert.deepEqual(config['notifications.rules'], [rule])
    assert.deepEqual(config['notifications.mail'], [mail])
  })

  test('are refused where they contradict themselves, with the place and without a secret', () => {
    for (const [parts, words] of [
      [
        { rules: [{ ...rule, to: ['hook', 'sms'] }] },
        'notifications.rules[0].to: there is no channel "sms"; the channels are hook',
      ],
      [{ rules: [rule, rule] }, 'notifications.rules has two rules with the name all'],
      [{ mail: [{ ...mail, name: 'hook' }] }, 'notifications has two channels with the name hook'],
      [{ mail: [{ ...mail, tls: 'off' }] }, 'notifications.mail[0].tls may be off only'],
      [
        { webhooks: [{ ...hook, secretFile: 'f' }] },
        'notifications.webhooks[0] may have secret or secretFile',
      ],
      [{ webhooks: [{ ...hook, secret: undefined }] }, 'notifications.webhooks[0]'],
      [
        { webhooks: [{ name: 'hook', url: hook.url }] },
        'notifications.webhooks[0] needs secretFile or secret',
      ],
      [{ webhooks: [{ ...hook, url: 'http://x/' }] }, 'notifications.webhooks[0].url'],
      [
        { webhooks: [{ ...hook, url: 'https://me:top-secret@x/' }] },
        'notifications.webhooks[0].url',
      ],
      [
        { mqtt: [{ ...mqttChannel, password: 'top-secret', passwordFile: 'f' }] },
        'notifications.mqtt[0] may have password or',
      ],
      [{ mqtt: [{ ...mqttChannel, topic: 'a/#' }] }, 'notifications.mqtt[0].topic'],
      [{ rules: [{ ...rule, types: [6] }] }, 'notifications.rules[0].types[0]'],
      [{ rules: [{ ...rule, events: ['gone'] }] }, 'notifications.rules[0].events[0]'],
      [
        { rules: [{ ...rule, quietHours: [{ from: '24:00', to: '06:00' }] }] },
        'notifications.rules[0].quietHours[0].from',
      ],
      [{ rules: [{ ...rule, reminderEvery: 1 }] }, 'notifications.rules[0].reminderEvery'],
      [
        { retryFirstSeconds: 3600, retryMaxMinutes: 1 },
        'notifications.retryFirstSeconds must not be longer',
      ],
    ] as [object, string][])
      assert.throws(
        () => notifications(parts),
        ({ message }: Error) => {
          assert.ok(message.includes(words), message)
          assert.ok(!message.includes('top-secret'), message)
          return true
        },
      )
  })
})

describe('the sample file', () => {
  test('equals the settings', async () => {
    const file = new URL('../../../docs/plumbline.sample.yaml', import.meta.url)

    const text = await readFile(file, 'utf8')
    assert.equal(text, writeSample(), 'run node scripts/run.js scripts/write-config-sample.ts')
  })

  test('is a settings file with every setting at its default', () => {
    const sections = parse(writeSample()) as Record<string, Record<string, unknown>>

    const names = (settings: object, prefix = ''): string[] =>
      Object.entries(settings).flatMap(([key, value]: [string, unknown]) =>
        typeof value === 'object' && !Array.isArray(value)
          ? names(value as object, `${prefix}${key}.`)
          : [`${prefix}${key}`],
      )
    assert.deepEqual(names(sections).toSorted(), SETTING_NAMES.toSorted())
    assert.deepEqual(resolve(inFile(sections)), resolve({}))
  })

  test('names the environment variable of every setting', () => {
    for (const name of SETTING_NAMES) assert.ok(writeSample().includes(environmentName(name)), name)
  })
})

const diskLimits = (warn: number, stop: number) =>
  resolve({
    environment: {
      PLUMBLINE_STORAGE_WARN_FREE_MEGABYTES: String(warn),
      PLUMBLINE_STORAGE_STOP_FREE_MEGABYTES: String(stop),
    },
  })

test('the warning of a full disk comes before the stop', () => {
  assert.throws(() => diskLimits(100, 100), /stopFreeMegabytes must be smaller than storage\.warn/)
  assert.equal(diskLimits(0, 100)['storage.stopFreeMegabytes'], 100)
  assert.equal(diskLimits(100, 0)['storage.warnFreeMegabytes'], 100)
})
