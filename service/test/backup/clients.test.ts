import assert from 'node:assert/strict'
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { connectAsync } from 'mqtt'
import { workplace } from '../cli/_cli.ts'
import { makeClip } from '../camera/_camera-clips.ts'
import { addressOf, siteWith } from '../camera/_cameras.ts'
import { eventually } from '../_eventually.ts'
import { Publisher, range, requireStored } from '../ingest/_messages.ts'
import { SITE as SENSOR_SITE } from '../ingest/_site.ts'
import { HEADER, MAPPING, row } from '../ingest/_watched.ts'
import { WebhookReceiver } from '../notifications/_webhook.ts'
import { freePort, withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

/** A data folder that is lost after a backup, and restored at its place. */
async function withFolder() {
  const place = await workplace()
  const folder = join(place.folder, 'data')
  return {
    place,
    folder,
    backUp: () => place.json('backup', 'backups', '--data', folder),
    async restore(): Promise<void> {
      await rm(folder, { recursive: true })
      await place.json('restore', 'backups', '--data', folder)
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
}

const strain = (station: number, value: number, time = Date.now()) => ({
  records: [{ station, time, values: { strain: value } }],
})

async function strainsOf({ storage }: TestService, station = 1002): Promise<number[]> {
  const query = { kind: 'theme', source: station, from: 0, to: 4e12, shape: 'flat' } as const
  const chunks = await Array.fromAsync(storage.records.read(query))
  const records = JSON.parse(`[${chunks.map((chunk) => Buffer.from(chunk)).join(',')}]`)
  return records.map((record: { strain: number }) => record.strain)
}

const notifying = (receiver: WebhookReceiver) => ({
  'notifications.webhooks': [receiver.settings],
  'notifications.rules': [{ name: 'office', to: ['hook'] }],
  'notifications.retryFirstSeconds': 0.05,
  'notifications.retryMaxMinutes': 0.01,
})

const deliveries = async ({ storage }: TestService): Promise<string[]> =>
  (await storage.deliveries.list({ limit: 100 })).map(({ alarm, state }) => `${alarm} ${state}`)

const rejects = async ({ storage }: TestService): Promise<string[]> =>
  (await storage.rejects.list({ limit: 100 })).map(({ place: line }) => line)

describe('after the restore of an earlier moment', () => {
  test('keys, tokens, applications and playback addresses of before work, also revoked ones, and later ones do not', async () => {
    await using data = await withFolder()
    const { folder, place } = data
    const site = siteWith([{ id: 1, source: 'file:clip.mp4' }])
    let before, after
    {
      await using service = await withService({ folder, site })
      await makeClip(folder, 'clip.mp4')
      const token = await service.issueToken()
      const application = await service.createApplication()
      const key = await service.createKey()
      before = { token, application, key, address: await addressOf(service, token, { camera: 1 }) }
      await service.createKey('revoked')
      await data.backUp()
      await service.storage.ingestKeys.revoke('revoked', Date.now())
      after = { token: await service.issueToken(), key: await service.createKey('later') }
    }

    await data.restore()
    await makeClip(folder, 'clip.mp4')
    await using service = await withService({ folder })
    const form = { grant_type: 'client_credentials' }
    const statuses = {
      token: (await service.get('/structures', before.token)).status,
      application: (await service.postForm('/oauth2/token', before.application, form)).status,
      key: (await service.ingest('theme', before.key, strain(1001, 1))).status,
      revokedKey: (await service.ingest('theme', 'plk_test_revoked', strain(1001, 1))).status,
      address: (await service.call(before.address)).status,
      laterToken: (await service.get('/structures', after.token)).status,
      laterKey: (await service.ingest('theme', after.key, strain(1001, 1))).status,
    }
    const again = await place.run(['restore', 'backups', '--data', folder])

    assert.deepEqual(statuses, {
      token: 200,
      application: 200,
      key: 200,
      revokedKey: 200,
      address: 200,
      laterToken: 401,
      laterKey: 401,
    })
    assert.deepEqual([again.code, /is not empty: it holds /.test(again.stderr)], [1, true])
  })

  test('an import of before can be undone, and a day that was sealed since is open with its records', async () => {
    await using data = await withFolder()
    const { folder, place } = data
    const file = join(place.folder, 'logger.csv')
    await writeFile(file, HEADER.replace(';', ',') + row(0, 5).replace(';', ','))
    await writeFile(join(place.folder, 'm.yaml'), MAPPING)
    {
      await using service = await withService({ folder, site: SITE })
      const key = await service.createKey()
      const day = Date.UTC(2024, 1, 1)
      for (const minute of [0, 1])
        await service.ingest('theme', key, strain(1002, minute, day + minute * 60_000))
      const imported = await place.run(['import', file, '--mapping', 'm.yaml', '--data', folder])
      assert.equal(imported.code, 0, imported.stderr)
      await data.backUp()
      await place.run(['seal', '--data', folder])
      await service.ingest('theme', key, strain(1002, 9, day + 2 * 60_000))
      assert.deepEqual(await strainsOf(service), [0, 1, 9, 5])
    }

    await data.restore()
    await using service = await withService({ folder })
    const restored = await strainsOf(service)
    const [change] = (await place.json('changes', '--data', folder)) as { id: number }[]
    const undone = await place.run(['undo', String(change!.id), '--data', folder])
    const sealed = await place.run(['seal', '--data', folder])

    assert.deepEqual(restored, [0, 1, 5])
    assert.equal(undone.code, 0, undone.stderr)
    assert.equal(sealed.code, 0, sealed.stderr)
    assert.deepEqual(await strainsOf(service), [0, 1])
  })

  test('what was delivered before is not sent again, and what was waiting is, with its id', async () => {
    await using data = await withFolder()
    const { folder } = data
    await using receiver = await WebhookReceiver.start()
    const serve = (site?: string): Promise<TestService> =>
      withService({
        folder,
        ...(site === undefined ? {} : { site }),
        deliveryPollMilliseconds: 20,
        settings: notifying(receiver),
      })
    {
      await using service = await serve(SITE)
      const key = await service.createKey()
      await service.ingest('theme', key, strain(1001, 250))
      await eventually(() => assert.deepEqual(receiver.ids, ['alarm-1-0']))
      await eventually(async () => assert.deepEqual(await deliveries(service), ['1 delivered']))
      await receiver.close()
      await service.ingest('theme', key, strain(1002, 250))
      await eventually(async () =>
        assert.deepEqual(await deliveries(service), ['2 waiting', '1 delivered']),
      )
      await data.backUp()
      await receiver.listen()
      await eventually(() => assert.ok(receiver.ids.includes('alarm-2-0')))
      await service.ingest('theme', key, {
        records: [{ station: 2001, time: Date.now(), values: { waterLevel: 7 } }],
      })
      await eventually(() => assert.ok(receiver.ids.includes('alarm-3-0')))
    }
    const sentBefore = receiver.posts.length

    await data.restore()
    await using service = await serve()
    const states = await eventually(async () => {
      const found = await deliveries(service)
      assert.ok(found.every((one) => one.endsWith('delivered')))
      return found
    })

    assert.deepEqual(states, ['2 delivered', '1 delivered'])
    assert.deepEqual(receiver.ids.slice(sentBefore), ['alarm-2-0'])
  })

  test('a transition that takes the place of a lost one has a message id of its own', async () => {
    await using data = await withFolder()
    const { folder } = data
    await using receiver = await WebhookReceiver.start()
    const serve = (site?: string): Promise<TestService> =>
      withService({
        folder,
        ...(site === undefined ? {} : { site }),
        deliveryPollMilliseconds: 20,
        settings: notifying(receiver),
      })
    const untilSent = (count: number) =>
      eventually(() => assert.equal(receiver.ids.length, count, receiver.ids.join(' ')))
    let key
    {
      await using service = await serve(SITE)
      key = await service.createKey()
      await service.ingest('theme', key, strain(1001, 250))
      await untilSent(1)
      await data.backUp()
      await service.ingest('theme', key, strain(1001, 350))
      await untilSent(2)
    }

    await data.restore()
    await using service = await serve()
    await service.ingest('theme', key, strain(1001, 1))
    await untilSent(3)

    const [first, lost, after = ''] = receiver.ids
    assert.deepEqual([first, lost], ['alarm-1-0', 'alarm-1-1'])
    assert.match(after, /^restored-\d+-alarm-1-1$/)
  })

  test('a watched folder is read from where the backup was: nothing is lost, nothing doubled', async () => {
    await using data = await withFolder()
    const { folder, place } = data
    const incoming = join(place.folder, 'incoming')
    await mkdir(incoming)
    const mapping = join(place.folder, 'm.yaml')
    await writeFile(mapping, `delimiter: ;\n${MAPPING}`)
    const watched = { path: incoming, pattern: '*.csv', mapping, pollSeconds: 0.1 }
    const settings = { 'ingest.folders': [watched] }
    await writeFile(join(incoming, 'a.csv'), `${HEADER}${row(0, 1)}${row(1, 2)}bad;line\n`)
    {
      await using service = await withService({ folder, site: SITE, settings })
      await eventually(async () => assert.deepEqual(await strainsOf(service), [1, 2]))
      await eventually(async () => assert.equal((await rejects(service)).length, 1))
      await data.backUp()
      await appendFile(join(incoming, 'a.csv'), `${row(2, 3)}worse;line\n`)
      await writeFile(join(incoming, 'b.csv'), `${HEADER}${row(3, 4)}`)
      await eventually(async () => assert.deepEqual(await strainsOf(service), [1, 2, 3, 4]))
      await eventually(async () => assert.equal((await rejects(service)).length, 2))
    }

    await data.restore()
    await using service = await withService({ folder, settings })

    await eventually(async () => assert.deepEqual(await strainsOf(service), [1, 2, 3, 4]))
    await eventually(async () => assert.equal((await rejects(service)).length, 2))
    await appendFile(join(incoming, 'b.csv'), row(4, 5))
    await eventually(async () => assert.deepEqual(await strainsOf(service), [1, 2, 3, 4, 5]))
    assert.equal((await rejects(service)).length, 2)
  })

  test('an MQTT client logs in as before, and messages that it was acknowledged since are lost', async () => {
    await using data = await withFolder()
    const { folder } = data
    const port = await freePort()
    const settings = {
      'ingest.broker.port': port,
      'ingest.broker.host': '127.0.0.1',
      'ingest.broker.topics': [{ topic: 'site/{sensor}/up', preset: 'tsValues' }],
      'seal.everyMinutes': 0,
    }
    const url = `mqtts://localhost:${port}`
    let password
    {
      await using service = await withService({ folder, site: SENSOR_SITE, settings })
      password = await service.createKey()
      const tls = { ca: service.certificate, username: 'logger', password }
      await using publisher = await Publisher.connect(url, tls)
      await publisher.publishRecords(range(0, 5))
      await data.backUp()
      await publisher.publishRecords(range(5, 9))
      requireStored(folder, range(0, 9))
    }

    await data.restore()
    requireStored(folder, range(0, 5))
    await using service = await withService({ folder, settings })
    const tls = { ca: service.certificate, username: 'logger', password }
    await using publisher = await Publisher.connect(url, tls)
    await publisher.publishRecords(range(4, 12))

    requireStored(folder, [...range(0, 5), ...range(5, 12)])
    await assert.rejects(
      connectAsync(url, { ...tls, password: 'plk_wrong', reconnectPeriod: 0 }, false),
      /Bad username or password/,
    )
  })
})
