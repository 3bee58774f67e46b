import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { fillFolder } from '../cli/_full-site.ts'
import { PROGRAM } from '../_program.ts'
import { fill, workplace, wordsOf, type Workplace } from '../cli/_cli.ts'
import { compileShim } from '../faults/_shim.ts'
import { flipByte } from './_flip-byte.ts'

const run = promisify(execFile)

async function filled(): Promise<Workplace> {
  const place = await workplace()
  await fill(place, () => Promise.resolve())
  return place
}

const wordsAfter = async (
  place: Workplace,
  ...args: string[]
): Promise<[number | null, string]> => {
  const result = await place.run(args)
  return [result.code, wordsOf(result).replaceAll(place.folder, 'PLACE').trimEnd()]
}

/** All files and folders below a folder, with their modes. */
async function modesBelow(folder: string): Promise<Map<string, number>> {
  const modes = new Map<string, number>()
  for (const name of await readdir(folder, { recursive: true }))
    modes.set(name, (await stat(join(folder, name))).mode & 0o777)
  return modes
}

/** What a backup and a restore say of a folder that others can write to. */
const warnings = (cause: string, remedy: string): string[] => [
  `Others can change the backups in shared/backups, since ${cause}: ${remedy}.`,
  `Others may have changed what is restored from shared/backups, since ${cause}: go on only where you trust them.`,
]

describe('plumbline backup', () => {
  test('keeps the settings file, certificates and secrets, for their owner only', async () => {
    await using place = await filled()
    const data = join(place.folder, 'data')
    await mkdir(join(data, 'secrets'))
    await writeFile(join(data, 'secrets', 'playback'), 'secret')
    await writeFile(join(data, 'plumbline.yaml'), 'log: { level: warn }\n', { mode: 0o644 })

    const { backup } = await place.json('backup', 'backups')
    await place.json('restore', 'backups', '--data', 'restored')

    assert.equal(await readFile(join(place.folder, 'restored/secrets/playback'), 'utf8'), 'secret')
    assert.match(await readFile(join(place.folder, 'restored/plumbline.yaml'), 'utf8'), /warn/)
    assert.equal(existsSync(join(place.folder, backup, 'files', 'plumbline.yaml')), true)
    for (const folder of ['backups', 'restored'])
      for (const [name, mode] of await modesBelow(join(place.folder, folder)))
        assert.equal(mode & 0o077, 0, `${folder}/${name}`)
  })

  test('--without-secrets leaves out secrets, certificates and the settings file', async () => {
    await using place = await filled()
    const data = join(place.folder, 'data')
    await mkdir(join(data, 'secrets'))
    await writeFile(join(data, 'secrets', 'playback'), 'secret')
    await writeFile(join(data, 'plumbline.yaml'), 'log: { level: warn }\n')

    await place.json('backup', 'backups', '--without-secrets')
    await place.json('restore', 'backups', '--data', 'restored')

    assert.deepEqual(await readdir(join(place.folder, 'restored')), ['plumbline.db'])
  })

  test('a folder inside the data folder, one with other files, and one without a parent are refused', async () => {
    await using place = await filled()
    await mkdir(join(place.folder, 'photos'))
    await writeFile(join(place.folder, 'photos', 'cat.jpg'), '')

    assert.deepEqual(
      [
        await wordsAfter(place, 'backup', 'data/backups'),
        await wordsAfter(place, 'backup', 'photos'),
        await wordsAfter(place, 'backup', 'missing/backups'),
      ],
      [
        [
          1,
          'The folder data/backups is inside the data folder data: the backups would be lost with the data. Choose a folder on another disk.',
        ],
        [
          1,
          'The folder photos holds something else, such as cat.jpg. Choose an empty folder, or one that has backups.',
        ],
        [
          1,
          'The folder PLACE/missing does not exist: the backups cannot be stored in missing/backups. Mount the disk or make the folder first.',
        ],
      ],
    )
    assert.deepEqual(await readdir(join(place.folder, 'photos')), ['cat.jpg'])
  })

  test('a backup without its manifest is named, kept with what it needs, and stops no other', async () => {
    await using place = await workplace()
    await fillFolder(join(place.folder, 'data'), { isSealed: false })
    const first = await place.json('backup', 'backups')
    await place.json('seal', '--after-days', '0')
    const second = await place.json('backup', 'backups')
    const lost = join(place.folder, second.backup, 'manifest.json')
    const text = await readFile(lost, 'utf8')
    const segments = () => readdir(join(place.folder, 'backups', 'segments'))
    const before = await segments()
    assert.ok(before.includes(`${basename(second.backup)}.db`), 'the second one has made a segment')

    for (const damage of [() => rm(lost), () => writeFile(lost, '{')]) {
      await damage()
      const made = await place.run(['backup', 'backups', '--json'])
      assert.equal(made.code, 0, made.stderr)
      assert.match(made.stderr, /manifest\.json is damaged or missing\..* Nothing that it may need/)
      const { backups, damaged } = await place.json('restore', 'backups', '--list')
      assert.deepEqual([backups[0].backup, damaged[0].backup], [first.backup, second.backup])
      const listed = await segments()
      assert.deepEqual(
        before.filter((name) => !listed.includes(name)),
        [],
      )
    }
    await writeFile(lost, text)
    await place.json('backup', second.backup, '--verify-only')
  })

  test('--verify copies anew what is damaged of an earlier backup', async () => {
    await using place = await workplace()
    await fillFolder(join(place.folder, 'data'))
    const first = await place.json('backup', 'backups')
    const [segment = ''] = await readdir(join(place.folder, 'backups', 'segments'))
    await flipByte(join(place.folder, 'backups', 'segments', segment))

    const damaged = await place.run(['backup', 'backups', '--json'])
    const verified = await place.run(['backup', 'backups', '--verify'])

    assert.equal(damaged.code, 0, damaged.stderr)
    assert.equal(verified.code, 0, verified.stderr)
    assert.match(verified.stderr, /is damaged or missing\. Its rows are copied again\./)
    await place.json('backup', 'backups', '--verify-only')
    for (const { backup } of [first, JSON.parse(damaged.stdout)]) {
      const checked = await place.run(['backup', backup, '--verify-only'])
      assert.match(checked.stderr, /segments\/.* is damaged/)
    }
  })

  test('--verify-every verifies when the last verification is older, and after damage', async () => {
    await using place = await workplace()
    await fillFolder(join(place.folder, 'data'))
    const segments = join(place.folder, 'backups', 'segments')
    const run = () => place.json('backup', 'backups', '--verify-every', '7', '--every', '24')
    const note = join(place.folder, 'backups', 'verification.json')
    const makeOld = async (): Promise<void> => {
      const noted = JSON.parse(await readFile(note, 'utf8'))
      await writeFile(note, JSON.stringify({ ...noted, at: '2026-01-01T00:00:00.000Z' }))
    }

    const first = await run()
    const second = await run()
    await makeOld()
    const third = await run()
    const [segment = ''] = await readdir(segments)
    await flipByte(join(segments, segment))
    await makeOld()
    const fourth = await run()
    const fifth = await place.json('backup', 'backups', '--verify-every', '7')

    const flags = [first, second, third, fourth, fifth].map(({ isNew, isVerified, damage }) => [
      isNew,
      isVerified,
      damage.length,
    ])
    assert.deepEqual(flags, [
      [true, true, 0],
      [false, false, 0],
      [false, true, 0],
      [true, true, 2],
      [true, true, 0],
    ])
    assert.match(fourth.damage[0], /segments\/.* is damaged: .* Another backup is made\.$/)
    assert.deepEqual(fourth.verification.damage, fourth.damage)
    assert.deepEqual(fifth.verification.damage, [])
    assert.equal(second.verification.at, first.verification.at)
    assert.ok(third.verification.at > first.verification.at)
    for (const { backup } of [fourth, fifth]) await place.json('backup', backup, '--verify-only')
  })

  test('a damaged list of places is not used again', async () => {
    await using place = await workplace()
    await fillFolder(join(place.folder, 'data'))
    const first = await place.json('backup', 'backups')
    await flipByte(join(place.folder, first.backup, 'places.db'))

    const verified = await place.run(['backup', 'backups', '--verify'])

    assert.equal(verified.code, 0, verified.stderr)
    assert.match(verified.stderr, /places\.db is damaged or missing\. All is copied again\./)
    await place.json('backup', 'backups', '--verify-only')
  })

  test('a folder in which the very first backup was interrupted is taken', async () => {
    await using place = await filled()
    const folder = join(place.folder, 'backups')
    await mkdir(folder)
    await writeFile(join(folder, 'plumbline-backups.json.new'), '{"for')

    await place.json('backup', 'backups')

    assert.equal((await place.json('restore', 'backups', '--list')).backups.length, 1)
  })

  test('a damaged file is named by --verify-only and by a restore, which leaves nothing', async () => {
    await using place = await filled()
    const { backup } = await place.json('backup', 'backups', '--verify')
    const name: string = backup.split('/').at(-1)
    for (const file of [
      join('backups', name, 'plumbline.db'),
      join('backups', 'segments', `${name}.db`),
    ]) {
      const path = join(place.folder, file)
      if (!existsSync(path)) continue
      const before = await readFile(path)
      await flipByte(path)

      const sentence = new RegExp(
        `^The file .*${file.split('/').at(-1)} is damaged: its checksum is not that of the manifest\\.$`,
      )
      for (const args of [
        ['backup', 'backups', '--verify-only'],
        ['restore', 'backups', '--data', 'restored'],
      ]) {
        const [code, words] = await wordsAfter(place, ...args)
        assert.equal(code, 1)
        assert.match(words, sentence)
      }
      assert.equal(existsSync(join(place.folder, 'restored', 'plumbline.db')), false)
      await writeFile(path, before)
    }
  })

  test('a changed manifest, a link and a pipe make a restore neither write nor read elsewhere', async () => {
    await using place = await filled()
    const { backup } = await place.json('backup', 'backups')
    const folder = join(place.folder, backup)
    const manifest = join(folder, 'manifest.json')
    const text = await readFile(manifest, 'utf8')
    const outside = join(place.folder, 'outside')
    await writeFile(outside, 'evil')
    const sha256 = createHash('sha256').update('evil').digest('hex')
    const restoreWith = async (path: string): Promise<string> => {
      const found = JSON.parse(text)
      found.files.push({ path, bytes: 4, sha256 })
      await writeFile(manifest, JSON.stringify(found))
      const [code, words] = await wordsAfter(place, 'restore', 'backups', '--data', 'restored')
      assert.equal(code, 1, words)
      return words
    }

    for (const path of [
      '../../outside',
      'files/../../../outside',
      'files/secrets/../../../outside',
      '/etc/hostname',
      'files/plumbline.db',
      'files/restoring',
    ])
      assert.match(await restoreWith(path), /which no backup holds/, path)
    await mkdir(join(folder, 'files'), { recursive: true })
    await symlink(outside, join(folder, 'files', 'linked'))
    assert.match(await restoreWith('files/linked'), /is a link or no file/)
    await symlink(place.folder, join(folder, 'files', 'there'))
    assert.match(await restoreWith('files/there/outside'), /is a link or no file/)
    await rm(manifest)
    await run('mkfifo', [manifest])
    const [code, words] = await wordsAfter(place, 'restore', backup, '--data', 'restored')
    assert.equal(code, 1)
    assert.match(words, /manifest\.json is damaged or missing/)
    assert.ok(!existsSync(join(place.folder, 'restored', 'linked')))
  })

  test('a restore overwrites nothing, and takes no backup of a newer program', async () => {
    await using place = await filled()
    const { backup } = await place.json('backup', 'backups')
    const file = join(place.folder, backup.replace(`${place.folder}/`, ''), 'manifest.json')

    const inUse = await wordsAfter(place, 'restore', 'backups')
    const manifest = JSON.parse(await readFile(file, 'utf8'))
    await writeFile(file, JSON.stringify({ ...manifest, database: 999, program: '9.9.9' }))
    const [code, newer] = await wordsAfter(place, 'restore', 'backups', '--data', 'restored')

    assert.equal(inUse[0], 1)
    assert.match(inUse[1], /^The data folder data is not empty: it holds /)
    assert.equal(code, 1)
    assert.match(
      newer,
      /was made by a newer program, 9\.9\.9\. Install that version to restore it\.$/,
    )
  })

  test('a full disk is one sentence, and nothing half is left', async (t) => {
    await using place = await filled()
    const backups = join(place.folder, 'backups')
    await place.json('backup', 'backups')
    const before = await readdir(backups, { recursive: true })
    const flag = join(place.folder, 'full')
    await writeFile(flag, '')

    const result = await place.runProcess(['backup', 'backups'], {
      LD_PRELOAD: await compileShim('disk-full', place.folder),
      FULL_FOLDER: backups,
      FULL_FLAG: flag,
    })

    t.diagnostic(wordsOf(result))
    assert.equal(result.code, 1)
    assert.match(
      wordsOf(result),
      /^The disk of backups is full: the backup was not made, and nothing of it is left there\. Free some space, or keep fewer backups\.\n$/,
    )
    assert.deepEqual(await readdir(backups, { recursive: true }), before)
  })

  test('a folder that others can write to is named by a backup and by a restore', async () => {
    await using place = await filled()
    const shared = join(place.folder, 'shared')
    const backups = join(shared, 'backups')
    await mkdir(shared)
    const wordsOfBoth = async (): Promise<string[]> => {
      const made = await place.run(['backup', 'shared/backups'])
      const restored = await place.run(['restore', 'shared/backups', '--data', 'restored'])
      assert.deepEqual([made.code, restored.code], [0, 0], made.stderr + restored.stderr)
      await rm(join(place.folder, 'restored'), { recursive: true })
      return [made, restored].map((one) => wordsOf(one).replaceAll(place.folder, 'PLACE').trimEnd())
    }

    const closed = await wordsOfBoth()
    await chmod(shared, 0o770)
    const below = await wordsOfBoth()
    await chmod(shared, 0o1777)
    const sticky = await wordsOfBoth()
    await chmod(backups, 0o1777)
    const itself = await wordsOfBoth()

    assert.deepEqual(
      [closed, sticky],
      [
        ['', ''],
        ['', ''],
      ],
    )
    assert.deepEqual(
      below,
      warnings(
        'the folder PLACE/shared can be written by others (mode 0770)',
        'run "chmod go-w PLACE/shared"',
      ),
    )
    assert.deepEqual(
      itself,
      warnings(
        'the folder PLACE/shared/backups can be written by others (mode 1777)',
        'run "chmod go-w PLACE/shared/backups"',
      ),
    )
    if (process.getuid?.() !== 0) return
    await chmod(backups, 0o700)
    await chown(shared, 12_345, 12_345)
    assert.deepEqual(
      await wordsOfBoth(),
      warnings(
        'the folder PLACE/shared belongs to user 12345',
        'give it to the user of the service with "chown"',
      ),
    )
  })

  test('restore --list names the backups, and a restore takes the one that is named', async () => {
    await using place = await filled()
    const first = await place.json('backup', 'backups')
    await place.json('app', 'create', '--user', '1', '--name', 'later')
    await place.json('backup', 'backups')

    const { backups } = await place.json('restore', 'backups', '--list')
    const listed = await place.runProcess(['restore', 'backups', '--list'], { TZ: 'Asia/Kolkata' })
    const [, moment = ''] = / (\S+\+05:30) /.exec(listed.stdout) ?? []
    const { backup } = await place.json('restore', 'backups', '--at', moment, '--data', 'of-then')
    assert.equal(backup, join(place.folder, first.backup))
    const future = await place.run([
      'restore',
      'backups',
      '--at',
      '2999-01-01 00:00',
      '--data',
      'x',
    ])
    assert.match(
      future.stderr,
      /^--at 2999-\S+ is in the future, and the newest moment in backups is /,
    )
    await place.json('restore', first.backup, '--data', 'restored')

    const apps = await place.json('app', 'list', '--data', 'restored')
    assert.deepEqual([backups.length, JSON.stringify(apps).includes('later')], [2, false])
    await rm(join(place.folder, 'restored'), { recursive: true })
  })
})

describe('moving to another machine', () => {
  test('what root restores belongs to the owner of the data folder, or of the folder above', async () => {
    await using place = await filled()
    await place.json('backup', 'backups')
    const own = join(place.folder, 'own')
    await mkdir(own)
    await chown(own, 4321, 4322)
    await mkdir(join(place.folder, 'given'))
    await chown(join(place.folder, 'given'), 4321, 4322)

    await place.json('restore', 'backups', '--data', 'given')
    await place.json('restore', 'backups', '--data', 'own/new/data')

    for (const folder of ['given', 'own'])
      for (const name of await readdir(join(place.folder, folder), { recursive: true })) {
        const { uid, gid } = await stat(join(place.folder, folder, name))
        assert.deepEqual([uid, gid], [4321, 4322], `${folder}/${name}`)
      }
  })

  test('a restore says that the settings are not read where they are', async () => {
    await using place = await filled()
    await writeFile(join(place.folder, 'data/plumbline.yaml'), 'log: { level: warn }\n')
    await place.json('backup', 'backups')
    await writeFile(join(place.folder, 'read.yaml'), '', { mode: 0o600 })

    const here = await place.run(['restore', 'backups', '--data', 'one'])
    const elsewhere = await place.run([
      'restore',
      'backups',
      '--data',
      'two',
      '--config',
      'read.yaml',
    ])

    assert.match(here.stdout, /^The settings of the backup are in one\/plumbline\.yaml\.$/m)
    assert.match(
      elsewhere.stdout,
      /^The settings of the backup are in two\/plumbline\.yaml, which is not read: the settings are read\.yaml\. Compare both, /m,
    )
  })

  test('a backup without a settings file says so', async () => {
    await using place = await filled()

    const { stdout } = await place.run(['backup', 'backups'])

    assert.match(
      stdout,
      /^It has no settings file, since there is no data\/plumbline\.yaml\. .* --config\.$/m,
    )
  })

  test('a folder that is missing, and a backup that belongs to root, are one sentence', async () => {
    await using place = await filled()
    await place.json('backup', 'backups')
    await chmod(place.folder, 0o755)
    await chmod(join(place.folder, 'backups'), 0o755)
    const command = `${process.execPath} ${PROGRAM} restore backups --data restored`

    const missing = await wordsAfter(place, 'restore', '--list', 'nothere')
    const refused = await run(
      'setpriv',
      ['--reuid=65534', '--regid=65534', '--clear-groups', 'sh', '-c', command],
      { cwd: place.folder },
    ).catch((error) => error)

    assert.deepEqual(missing, [1, 'The folder nothere does not exist. Check its name.'])
    assert.match(
      refused.stderr,
      /^backups\/\S+ cannot be read by this user \(65534\)\. Give this user the whole folder of backups: chown -R 65534\.$/m,
    )
  })
})
