import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { freePort, withService } from '../_service.ts'
import { SITE } from '../_site.ts'
import { alarm, step, addAlarm } from './_alarms.ts'
import { MailServer, PASSWORD, readHeaders, readText } from './_mail.ts'

const withMail = (server: MailServer, settings: object = {}) =>
  withService({
    site: SITE,
    deliveryPollMilliseconds: 20,
    settings: {
      'notifications.mail': [
        {
          name: 'office',
          host: 'localhost',
          port: server.port,
          user: 'plumbline',
          password: PASSWORD,
          ca: server.certificateFile,
          from: 'Plumbline 监测 <shm@example.org>',
          to: ['office@example.org', 'duty@example.org'],
          ...settings,
        },
      ],
      'notifications.rules': [{ name: 'all', to: ['office'] }],
      'notifications.retryFirstSeconds': 0.05,
      'http.publicUrl': 'https://shm.example',
    },
  })

type Mailing = Awaited<ReturnType<typeof withMail>>

const lastOf = async ({ storage }: Mailing) => (await storage.deliveries.list({ limit: 1 }))[0]!

describe('a mail', () => {
  test('is sent encrypted to every recipient, as plain text in any language', async () => {
    await using server = await MailServer.start()
    await using service = await withMail(server)

    const raised = alarm(1, { alarmTypeCode: '3007' })
    await addAlarm(service.storage, raised, [step({ content: '应变: 301µε over a limit' })])
    await eventually(async () => assert.equal((await lastOf(service)).state, 'delivered'))

    const [mail] = server.mails
    assert.deepEqual(
      [server.mails.length, mail!.isEncrypted, mail!.user, mail!.from, mail!.to],
      [1, true, 'plumbline', 'shm@example.org', ['office@example.org', 'duty@example.org']],
    )
    const headers = readHeaders(mail!)
    assert.equal(
      headers.get('subject'),
      'New alarm: 长江大桥, 应变-01, value over threshold, level 2',
    )
    assert.equal(headers.get('from'), 'Plumbline 监测 <shm@example.org>')
    assert.equal(headers.get('message-id'), '<alarm-1-0.office@example.org>')
    assert.equal(headers.get('auto-submitted'), 'auto-generated')
    assert.match(headers.get('content-type')!, /^text\/plain; charset=utf-8/i)
    const text = readText(mail!)
    assert.match(
      text,
      /^New alarm: 长江大桥, 应变-01, value over threshold, level 2\.\r?\n\r?\n应变: 301 µε over a limit/,
    )
    assert.match(text, /Alarm: +1 \(30070002\)/)
    assert.match(text, /^Time: +2026-03-01 08:00:00 \(Asia\/Shanghai\)\r?$/m)
    assert.match(text, /^Link: +https:\/\/shm\.example\/\?alarm=1\r?$/m)
  })

  test('is not sent to a server without TLS', async () => {
    await using server = await MailServer.start()
    server.offersTls = false
    await using service = await withMail(server)

    await addAlarm(service.storage, alarm(1))
    await eventually(async () => assert.ok((await lastOf(service)).attempts > 0))

    assert.deepEqual(server.mails, [])
    assert.equal(
      (await lastOf(service)).lastError,
      `the mail server localhost:${server.port} does not offer STARTTLS: 502`,
    )
    server.offersTls = true
    await eventually(async () => assert.equal((await lastOf(service)).state, 'delivered'))
    assert.equal((await lastOf(service)).lastError, null)
  })

  test('to a server that is not there waits, with a sentence that names it', async () => {
    await using server = await MailServer.start()
    const port = await freePort()
    for (const [mail, expected] of [
      [{ host: 'no.such.invalid' }, 'the name no.such.invalid of the mail server is not known'],
      [{ port }, `nothing listens at localhost:${port}, the mail server`],
    ] as const) {
      await using service = await withMail(server, mail)

      await addAlarm(service.storage, alarm(1))

      await eventually(async () => assert.equal((await lastOf(service)).lastError, expected))
    }
  })

  test('is not sent to a server with an untrusted certificate', async () => {
    await using server = await MailServer.start()
    await using service = await withMail(server, { ca: undefined })

    await addAlarm(service.storage, alarm(1))
    await eventually(async () => assert.ok((await lastOf(service)).attempts > 0))

    assert.deepEqual(server.mails, [])
    assert.match(
      (await lastOf(service)).lastError!,
      /^the certificate of .* is not trusted \(.*\); set "ca"$/,
    )
  })

  test('with a wrong password waits, and no error holds the password', async () => {
    await using server = await MailServer.start()
    const wrong = 'wrong-top-secret'
    await using service = await withMail(server, { password: wrong })

    await addAlarm(service.storage, alarm(1))
    await eventually(async () => assert.ok((await lastOf(service)).attempts > 0))

    const { state, lastError } = await lastOf(service)
    assert.deepEqual([state, lastError], ['waiting', 'the server refuses user and password: 535'])
    const seen = JSON.stringify([service.logged, lastError])
    const encoded = Buffer.from(`\0plumbline\0${wrong}`).toString('base64')
    for (const text of [wrong, encoded]) assert.ok(!seen.includes(text))
  })

  test('that some recipients refuse is delivered once to the others, with a note', async () => {
    await using server = await MailServer.start()
    server.refused.add('duty@example.org')
    await using service = await withMail(server)

    await addAlarm(service.storage, alarm(1))
    await eventually(async () => assert.equal((await lastOf(service)).state, 'delivered'))

    assert.deepEqual(
      server.mails.map(({ to }) => to),
      [['office@example.org']],
    )
    assert.equal((await lastOf(service)).lastError, 'the server refused 1 of the recipients')
  })

  test('that all recipients refuse is retried until one accepts it', async () => {
    await using server = await MailServer.start()
    for (const name of ['office', 'duty']) server.refused.add(`${name}@example.org`)
    await using service = await withMail(server)

    await addAlarm(service.storage, alarm(1))
    await eventually(async () => assert.ok((await lastOf(service)).attempts > 0))
    const { lastError } = await lastOf(service)
    server.refused.clear()
    await eventually(async () => assert.equal((await lastOf(service)).state, 'delivered'))

    assert.equal(lastError, 'the server refuses the mail: 550 5.1.1 nobody of that name')
    assert.equal(server.mails.length, 1)
  })
})
