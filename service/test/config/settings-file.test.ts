import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { resolveConfig } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'

const load = async (dataFolder: string, file?: string) =>
  loadConfig({ dataFolder, file, flags: {} })

describe('the settings file', () => {
  test('is in the data folder, or where it is named, and then must exist', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-'))
    try {
      const other = join(folder, 'other.yaml')
      assert.equal((await load(folder))['http.port'], 8443)
      await writeFile(join(folder, 'plumbline.yaml'), 'http: { port: 1 }\n')
      await writeFile(other, 'http: { port: 2 }\n')

      assert.equal((await load(folder))['http.port'], 1)
      assert.equal((await load(folder, other))['http.port'], 2)
      await assert.rejects(load(folder, join(folder, 'none.yaml')), /cannot be read: ENOENT/)
      await writeFile(other, 'http: { port: 2\n')
      await assert.rejects(load(folder, other), /other\.yaml:2: this is not indented/)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

const WRONG_FILE = `http:
  port: 99999
  hsot: 127.0.0.1
log:
  level: lout
ingest:
  mqtt:
    - name: site
      url: tcp://broker
      subscriptions:
        - { topic: a, preset: tsValue }
notifications:
  rules:
    - name: all
      to: [hook]
`

describe('a settings file with several problems', () => {
  test('is refused with all of them, each with its line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-'))
    try {
      const file = join(folder, 'plumbline.yaml')
      await writeFile(file, WRONG_FILE)
      await assert.rejects(load(folder), ({ message }: Error) => {
        const lines = message.split('\n').map((line) => line.slice(file.length))
        assert.deepEqual(lines, [
          ':2: http.port must be a port from 0 to 65535',
          ':3: there is no setting "http.hsot" (did you mean http.host?)',
          ':5: log.level must be one of fatal, error, warn, info, debug, silent',
          ':9: ingest.mqtt[0].url: expected an address such as mqtts://host:8883, without a user name and a password',
          ':11: ingest.mqtt[0].subscriptions[0].preset: expected one of tsValues, valuePerTopic, sensorTimeValues (did you mean tsValues?)',
          ':15: notifications.rules[0].to: there is no channel "hook"; there are none',
        ])
        return true
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('is refused with the first twenty and the number of others', () => {
    const http = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`x${at}`, 1]))

    const sources = {
      flags: {},
      environment: {},
      file: { name: 'plumbline.yaml', sections: { http } },
    }
    assert.throws(() => resolveConfig(sources), {
      message: /^(plumbline\.yaml: there is no setting "http\.x\d+".*\n){20}and 5 more$/,
    })
  })
})

describe('a settings file that is not YAML', () => {
  const texts = {
    'an open quotation mark': 'ingest:\n  mqtt:\n    - password: "top-secret\n',
    'a second colon': 'ingest:\n  password: top-secret: x\n',
    'a tag': 'password: !secret top-secret\n',
    'a key twice': 'password: top-secret\npassword: top-secret\n',
  }
  for (const [fault, text] of Object.entries(texts))
    test(`is refused with its line and without its text: ${fault}`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'plumbline-'))
      try {
        await writeFile(join(folder, 'plumbline.yaml'), text)
        await assert.rejects(load(folder), (error: Error) => {
          assert.match(error.message, /plumbline\.yaml:\d: [a-z]/)
          assert.doesNotMatch(error.message, /top-secret/)
          return true
        })
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    })
})
