import assert from 'node:assert/strict'
import { cp, readdir, rm } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import Sqlite from 'better-sqlite3'
import { registerRowCheck } from '../../src/storage/sqlite/integrity/row-check.ts'
import { fill, wordsOf, workplace, type Workplace } from './_cli.ts'

async function withSite(): Promise<Workplace> {
  const place = await workplace()
  await fill(place, () => Promise.resolve())
  return place
}

describe('plumbline account', () => {
  test('creates, lists, disables, enables and resets accounts, and each change leaves a line', async () => {
    await using place = await withSite()
    const run = (...args: string[]) => place.run(['account', ...args, '--json'])
    const flags = ['--role', 'operator', '--user', '1', '--display-name', 'Anna Berg']

    const created = await run('create', 'Anna', ...flags)
    const disabled = await run('disable', 'anna')
    const enabled = await run('enable', 'anna')
    const reset = await run('reset', 'anna')
    const listed = await run('list')

    for (const { code, stderr } of [created, disabled, enabled, reset, listed])
      assert.equal(code, 0, stderr)
    const { account, link } = JSON.parse(created.stdout)
    assert.deepEqual([account.name, account.displayName], ['anna', 'Anna Berg'])
    assert.match(link, /^https:\/\/localhost:8443\/console\/#\/welcome\/[\w-]{43}$/)
    assert.notEqual(JSON.parse(reset.stdout).link, link)
    assert.equal(JSON.parse(disabled.stdout).account.isDisabled, true)
    assert.deepEqual(JSON.parse(listed.stdout), [{ ...account, isDisabled: false }])
    const audited = JSON.parse((await place.run(['audit', 'list', '--json'])).stdout)
    const words = ['account create', 'account disable', 'account enable', 'account reset']
    assert.deepEqual(
      audited.map(({ operation }: { operation: string }) => operation).toReversed(),
      words,
    )
    const who = { kind: 'command', name: userInfo().username }
    for (const line of audited) {
      assert.deepEqual([line.who, line.target, line.outcome], [who, 'account=anna', 'done'])
      assert.ok(!JSON.stringify(line).includes(link.split('/welcome/')[1]))
    }
  })

  test('says what is wrong with a command line, an account or its user', async () => {
    await using place = await withSite()
    const refused: [args: string[], code: number, words: RegExp][] = [
      [['create', 'anna'], 2, /account create needs --role: viewer, operator, administrator/],
      [['create', '--role', 'viewer'], 2, /the name of the account is missing/],
      [['create', 'two words', '--role', 'viewer'], 2, /the name must be 1 to 64 letters/],
      [['create', 'anna', '--role', 'viewer'], 1, /needs "userId"/],
      [['create', 'anna', '--role', 'viewer', '--user', '9'], 1, /the site has no user 9/],
      [['reset', 'anna'], 1, /There is no account anna; see "plumbline account list"/],
    ]

    for (const [args, code, words] of refused) {
      const result = await place.run(['account', ...args])
      assert.equal(result.code, code, args.join(' '))
      assert.match(wordsOf(result), words)
    }
    const audited = await place.run(['audit', 'list'])
    assert.equal(audited.stdout, 'The audit log has no lines.\n')
  })
})

describe('plumbline audit verify', () => {
  const TAMPERING = {
    'a changed member': "update audit_lines set who_name = 'eve' where seq = 2",
    'a changed value': `update audit_lines set value_after = '{}' where seq = 2`,
    'a removed line': 'delete from audit_lines where seq = 2',
    'a line put in the place of another': `update audit_lines set
      (operation, value_after) = (select operation, value_after from audit_lines where seq = 1),
      target = 'other' where seq = 2`,
    'an inserted line': `update audit_lines set seq = 9 where seq = 3;
      insert into audit_lines select 3, at, who_kind, who_name, address, operation, target,
        value_before, value_after, outcome, hash from audit_lines where seq = 2`,
    'a line before the first one': `insert into audit_lines select 0, at, who_kind, who_name, address,
      operation, target, value_before, value_after, outcome, hash from audit_lines where seq = 2`,
    'a hash that was computed without the one before': `update audit_lines set
      hash = '${'0'.repeat(64)}' where seq = 1`,
  }

  test('finds no error in a log that nobody has changed, and each kind of tampering', async () => {
    await using place = await withSite()
    const create = ['--role', 'administrator']
    for (const name of ['anna', 'berta', 'carl'])
      await place.run(['account', 'create', name, ...create])
    const whole = await place.run(['audit', 'verify', '--json'])
    assert.equal(whole.code, 0, whole.stderr)
    const { lines, hash } = JSON.parse(whole.stdout)
    assert.equal(lines, 3)
    const exported = await place.run(['audit', 'export'])
    assert.ok(exported.stdout.split('\r\n')[1]?.endsWith(`"${hash}"`), exported.stdout)

    for (const [name, sql] of Object.entries(TAMPERING)) {
      const folder = join(place.folder, 'tampered')
      await rm(folder, { recursive: true, force: true })
      await cp(join(place.folder, 'data'), folder, { recursive: true })
      const database = new Sqlite(join(folder, 'plumbline.db'))
      // Who writes to the database can compute the checksums of rows, too.
      registerRowCheck(database)
      database.exec(sql)
      database.close()

      const { code, stderr } = await place.run(['audit', 'verify', '--data', 'tampered'])

      assert.equal(code, 1, name)
      assert.match(stderr, /^Lines? \d.* of the audit log /, name)
    }
  })

  test('finds what was cut off, by a line that was kept, and a log that was emptied', async () => {
    await using place = await withSite()
    for (const name of ['anna', 'berta'])
      await place.run(['account', 'create', name, '--role', 'administrator'])
    const { lines, hash } = JSON.parse((await place.run(['audit', 'verify', '--json'])).stdout)
    const verify = () => place.run(['audit', 'verify', '--kept', `${lines}:${hash}`])
    const change = (sql: string): void => {
      const database = new Sqlite(join(place.folder, 'data', 'plumbline.db'))
      registerRowCheck(database)
      database.exec(sql)
      database.close()
    }

    const whole = await verify()
    const wrong = await place.run(['audit', 'verify', '--kept', `1:${hash}`])
    const noHash = await place.run(['audit', 'verify', '--kept', '2'])
    change('delete from audit_lines where seq = 2')
    const cut = await verify()
    change('delete from audit_lines')
    const emptied = await place.run(['audit', 'verify'])

    assert.equal(whole.code, 0, whole.stderr)
    assert.deepEqual([wrong.code, noHash.code, cut.code, emptied.code], [1, 2, 1, 1])
    assert.match(wrong.stderr, /^Line 1 of the audit log has another hash/)
    assert.match(noHash.stderr, /--kept is "2", expected the number and the hash/)
    assert.match(cut.stderr, /^The audit log ends with line 1, and line 2 was kept/)
    assert.match(emptied.stderr, /^The audit log has no lines, but there are accounts/)
  })

  test('a backup holds accounts and the audit log', async () => {
    await using place = await withSite()
    await place.run(['account', 'create', 'anna', '--role', 'administrator'])
    const { stdout } = await place.run(['audit', 'verify'])

    const backup = await place.run(['backup', 'copy'])
    const [name = ''] = await readdir(join(place.folder, 'copy'))
    const copy = join('copy', name)
    const verified = await place.run(['audit', 'verify', '--data', copy])
    const listed = await place.run(['account', 'list', '--data', copy])

    assert.equal(backup.code, 0, backup.stderr)
    assert.equal(verified.stdout, stdout, verified.stderr)
    assert.match(listed.stdout, /^anna /m, listed.stderr)
  })
})
