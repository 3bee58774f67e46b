import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { needCommand } from '../_debian.ts'
import { workplace, type Workplace } from './_cli.ts'

const run = promisify(execFile)

/** What bash offers after the words of a command line. */
async function complete(place: Workplace, ...words: string[]): Promise<string[]> {
  const script = `source plumbline.bash
COMP_WORDS=(plumbline ${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length}
_plumbline
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await run('bash', ['-c', script], { cwd: place.folder })
  return stdout.trimEnd().split('\n').toSorted()
}

async function withScript(shell: string): Promise<Workplace> {
  const place = await workplace()
  const { code, stdout } = await place.run(['completion', shell])
  assert.equal(code, 0)
  await writeFile(join(place.folder, `plumbline.${shell}`), stdout)
  return place
}

describe('completion', () => {
  test('of bash offers commands, subcommands, flags and files', async () => {
    await using place = await withScript('bash')

    assert.deepEqual(await complete(place, 'se'), ['seal', 'serve'])
    assert.deepEqual(await complete(place, 'key', ''), ['create', 'list', 'revoke'])
    assert.deepEqual(await complete(place, 'serve', '--p'), ['--port'])
    assert.deepEqual(await complete(place, 'undo', '--'), [
      '--config',
      '--data',
      '--help',
      '--json',
      '--keep',
      '--storage',
    ])
    assert.deepEqual(await complete(place, 'site', 'apply', 'plum'), ['plumbline.bash'])
  })

  test('of zsh is a script that zsh can read', async () => {
    await needCommand('zsh', 'zsh')
    await using place = await withScript('zsh')

    const { stdout } = await run(
      'zsh',
      [
        '-fc',
        'autoload -U compinit; compinit -D -u; source ./plumbline.zsh; print $_comps[plumbline]',
      ],
      { cwd: place.folder },
    )

    assert.equal(stdout, '_plumbline\n')
  })

  test('of fish offers commands, subcommands and flags', async () => {
    await needCommand('fish', 'fish')
    await using place = await withScript('fish')

    const offered = async (line: string) => {
      const script = `source plumbline.fish; complete -C '${line}'`
      const { stdout } = await run('fish', ['-c', script], { cwd: place.folder })
      return stdout.split('\n').map((one) => one.split('\t')[0])
    }

    assert.deepEqual(await offered('plumbline se'), ['seal', 'serve', ''])
    assert.deepEqual(await offered('plumbline key r'), ['revoke', ''])
    assert.deepEqual(await offered('plumbline serve --po'), ['--port', ''])
  })

  test('names every command, and every subcommand that a command knows', async () => {
    await using place = await workplace()
    const { stdout: help } = await place.run(['help'])
    const { stdout: bash } = await place.run(['completion', 'bash'])

    for (const [, name = ''] of help.matchAll(/^ {2}(\w+) {3}/gm)) {
      const [, subcommands = ''] =
        new RegExp(`^ +${name}\\) subcommands='(.*?)'`, 'm').exec(bash) ?? assert.fail(name)
      // They start, whatever their first argument is.
      if (name === 'serve' || name === 'demo') continue
      const { stderr } = await place.run([name, 'no-such-subcommand', '--data', 'typo'])
      const [, expected = ''] = /^Unknown subcommand .*; expected: (.*)\.$/m.exec(stderr) ?? []
      assert.equal(subcommands, expected.replaceAll(', ', ' '), name)
    }
  })

  test('of another shell is refused with the usage', async () => {
    await using place = await workplace()

    const { code, stderr } = await place.run(['completion', 'tcsh'])

    assert.equal(code, 2)
    assert.match(stderr, /^Unknown subcommand "tcsh"; expected: bash, zsh, fish\.\nusage: /)
  })
})

test('--version prints the version of the package', async () => {
  await using place = await workplace()
  const file = new URL('../../package.json', import.meta.url)
  const { version } = JSON.parse(await readFile(file, 'utf8'))

  const { code, stdout } = await place.runProcess(['--version'])

  assert.deepEqual([code, stdout], [0, `plumbline ${version}\n`])
})
