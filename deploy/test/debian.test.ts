import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { writeDebianPackage } from '../../scripts/release/debian.ts'
import { eventually } from '../../service/test/_eventually.ts'
import { Booted } from './_booted.ts'
import { buildHere, EPOCH_SECONDS, ROOT } from './_build.ts'
import { needDebianRoot } from './_debian-root.ts'
import { Machine } from './_machine.ts'
import { mountOverlay } from './_overlay.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-debian-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Builds the package of a version without compression. */
function build(program: string, version: string): string {
  const file = join(folder, `plumbline_${version}.deb`)
  writeDebianPackage({
    root: ROOT,
    program,
    folder: join(mkdtempSync(join(folder, 'package-')), 'root'),
    file,
    version,
    arch: process.arch,
    epochSeconds: EPOCH_SECONDS,
    compression: 'none',
  })
  return file
}

/** A program that does nothing, with the files that a package is made of. */
function makeStub(): string {
  const program = join(folder, 'stub')
  mkdirSync(join(program, 'bin'), { recursive: true })
  writeFileSync(join(program, 'bin/plumbline'), '#!/bin/sh\nid -un\nenv | grep ^PLUMBLINE | sort\n')
  execFileSync('chmod', ['0755', join(program, 'bin/plumbline')])
  writeFileSync(join(program, 'LICENSES.txt'), 'none\n')
  return program
}

const OF_SERVICE =
  'PLUMBLINE_CONFIG=/etc/plumbline/plumbline.yaml\nPLUMBLINE_DATA=/var/lib/plumbline\n'

test('dpkg installs the package with its user; removal leaves the data, and a purge deletes it', async () => {
  const file = build(makeStub(), '1.0.0-rc.1')
  using overlay = mountOverlay(join(folder, 'short'), '/')
  copyFileSync(file, join(overlay.root, 'root/plumbline.deb'))
  await using machine = await Machine.start({ root: overlay.root })
  const get = async (...command: string[]): Promise<string> => {
    const { code, stdout, stderr } = await machine.run(command)
    assert.equal(code, 0, `${command.join(' ')}: ${stdout}${stderr}`)
    return stdout
  }
  const show = '${Version} ${Architecture} ${Conffiles}'

  await get('dpkg', '--install', '/root/plumbline.deb')
  const shown = await get('dpkg-query', '--show', '--showformat', show, 'plumbline')
  const modes = await get(
    'stat',
    '-c',
    '%U:%G %a',
    '/var/lib/plumbline',
    '/etc/plumbline/plumbline.yaml',
  )
  const asRoot = await get('plumbline')
  const unit = await get('cat', '/usr/lib/systemd/system/plumbline.service')
  await get('touch', '/var/lib/plumbline/plumbline.db')
  await get('dpkg', '--install', '/root/plumbline.deb')
  const removed = await get('dpkg', '--remove', 'plumbline')
  const kept = await get('ls', '/var/lib/plumbline', '/etc/plumbline')
  await get('dpkg', '--purge', 'plumbline')
  const left = await machine.run([
    'ls',
    '-d',
    '/var/lib/plumbline',
    '/etc/plumbline',
    '/usr/lib/plumbline',
  ])

  assert.match(shown, /^1\.0\.0~rc\.1 (amd64|arm64) +\n? *\/etc\/plumbline\/plumbline\.yaml /)
  assert.equal(modes, 'plumbline:plumbline 700\nroot:plumbline 640\n')
  assert.equal(asRoot, `plumbline\n${OF_SERVICE}`)
  assert.match(unit, /^ExecStart=\/usr\/lib\/plumbline\/bin\/plumbline serve$/m)
  assert.match(removed, /The data stays in \/var\/lib\/plumbline\./)
  assert.match(kept, /plumbline\.yaml[^]*plumbline\.db/)
  assert.equal(left.stdout, '')
})

test('the command works on the folder of the service, wherever that is, and on others as who calls it', async () => {
  const file = build(makeStub(), '1.0.0-rc.2')
  using overlay = mountOverlay(join(folder, 'command'), '/')
  copyFileSync(file, join(overlay.root, 'root/plumbline.deb'))
  await using machine = await Machine.start({ root: overlay.root })
  await machine.run(['dpkg', '--install', '/root/plumbline.deb'])
  const get = async (args: string[], env: Record<string, string> = {}) =>
    (await machine.run(['plumbline', ...args], { env })).stdout
  const moved = OF_SERVICE.replace('/var/lib', '/srv')

  const text = await get(['app', 'revoke', '--reason', 'moved --database and --data /x'])
  const other = await get(['doctor', '--data', '/mnt/copy'])
  const named = await get(['doctor'], { PLUMBLINE_DATA: '/mnt/copy', PLUMBLINE_CONFIG: '/own' })
  writeFileSync(
    join(overlay.root, 'etc/default/plumbline'),
    'PLUMBLINE_DATA=/srv/plumbline\nPLUMBLINE_LOG_LEVEL=warn\n',
  )
  const ofService = await get(['doctor'])
  const sameFolder = await get(['doctor', '--data=/srv/plumbline/'])
  const former = await get(['doctor', '--data', '/var/lib/plumbline'])

  assert.equal(text, `plumbline\n${OF_SERVICE}`)
  assert.equal(other, 'root\n')
  assert.equal(named, 'root\nPLUMBLINE_CONFIG=/own\nPLUMBLINE_DATA=/mnt/copy\n')
  assert.equal(ofService, `plumbline\n${moved}PLUMBLINE_LOG_LEVEL=warn\n`)
  assert.equal(sameFolder, ofService)
  assert.equal(former, 'root\n')
})

test('a purge empties a disk that is mounted as the data folder, and ends well', async () => {
  const file = build(makeStub(), '1.0.0-rc.3')
  using overlay = mountOverlay(join(folder, 'mounted'), '/')
  copyFileSync(file, join(overlay.root, 'root/plumbline.deb'))
  await using machine = await Machine.start({ root: overlay.root })
  await machine.run(['dpkg', '--install', '/root/plumbline.deb'])
  await machine.run(['mount', '-t', 'tmpfs', 'none', '/var/lib/plumbline'])
  await machine.run(['mkdir', '-p', '/var/lib/plumbline/secrets'])
  await machine.run(['touch', '/var/lib/plumbline/secrets/playback'])

  const purged = await machine.run(['dpkg', '--purge', 'plumbline'])
  const left = await machine.run(['ls', '-A', '/var/lib/plumbline'])

  assert.equal(purged.code, 0, purged.stdout + purged.stderr)
  assert.match(purged.stdout, /The folder \/var\/lib\/plumbline could not be removed\. Unmount/)
  assert.deepEqual([left.code, left.stdout], [0, ''])
})

const isDeep = process.env['TEST_DEEP'] !== undefined

if (isDeep)
  test('the package installs, serves under systemd, upgrades, leaves its data, and is purged', async () => {
    const program = join(folder, 'program')
    await buildHere(program)
    const first = build(program, '1.0.0-rc.1')
    const second = build(program, '1.0.0')
    using overlay = mountOverlay(join(folder, 'deep'), await needDebianRoot())
    for (const file of [first, second])
      copyFileSync(file, join(overlay.root, 'root', basename(file)))
    await using machine = await Booted.start(overlay.root)
    const dpkg = (...args: string[]) => machine.get('dpkg', ...args)
    const show = async (property: string) =>
      (await machine.get('systemctl', 'show', '-P', property, 'plumbline')).trim()
    const health = async () => (await machine.run('plumbline', 'health')).code

    await dpkg('--install', '/root/plumbline_1.0.0-rc.1.deb')
    assert.equal(await show('ActiveState'), 'active')
    assert.match(await show('StatusText'), /^Ready at https:\/\/localhost:8443\.$/)
    assert.equal(await health(), 0)
    assert.match(
      await machine.get('plumbline', 'config', 'check'),
      /\/etc\/plumbline\/plumbline\.yaml/,
    )
    const owners = await machine.get('find', '/var/lib/plumbline', '-not', '-user', 'plumbline')
    assert.equal(owners, '')
    const certificate = await machine.get('plumbline', 'certificate', 'show')
    assert.match(certificate, /127\.0\.0\.1/)
    await machine.get('plumbline', 'key', 'create', '--name', 'logger7')

    // A process that hangs is started again; a minute and more is too long for a test.
    await machine.get('mkdir', '-p', '/run/systemd/system/plumbline.service.d')
    const short = '[Service]\nWatchdogSec=3\nRestartSec=0\n'
    await machine.get(
      'sh',
      '-c',
      `printf '${short}' > /run/systemd/system/plumbline.service.d/short.conf`,
    )
    await machine.get('systemctl', 'daemon-reload')
    await machine.get('systemctl', 'restart', 'plumbline')
    const hanging = await show('MainPID')
    await machine.get('systemctl', 'kill', '--kill-whom=main', '--signal=STOP', 'plumbline')
    await eventually(async () => assert.ok(Number(await show('NRestarts')) >= 1))
    await eventually(async () => assert.equal(await show('ActiveState'), 'active'))
    assert.notEqual(await show('MainPID'), hanging)
    await machine.get('rm', '-r', '/run/systemd/system/plumbline.service.d')

    await machine.get('sh', '-c', 'echo "# mine" >> /etc/plumbline/plumbline.yaml')
    await dpkg('--install', '/root/plumbline_1.0.0.deb')
    assert.equal(await show('ActiveState'), 'active')
    assert.match(await machine.get('plumbline', 'key', 'list'), /logger7/)
    assert.match(await machine.get('cat', '/etc/plumbline/plumbline.yaml'), /^# mine$/m)

    assert.match(await dpkg('--remove', 'plumbline'), /The data stays in \/var\/lib\/plumbline/)
    assert.equal((await machine.run('systemctl', 'is-active', 'plumbline')).code, 3)
    await machine.get('test', '-s', '/var/lib/plumbline/plumbline.db')
    await dpkg('--install', '/root/plumbline_1.0.0.deb')
    assert.match(await machine.get('plumbline', 'key', 'list'), /logger7/)

    await dpkg('--purge', 'plumbline')
    const left = 'ls -d /var/lib/plumbline /var/cache/plumbline /etc/plumbline /usr/lib/plumbline'
    assert.equal((await machine.run('sh', '-c', left)).stdout, '')
  })
