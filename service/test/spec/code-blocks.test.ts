import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { needCommand } from '../_debian.ts'
import { filesIn, textOf } from './_pages.ts'

await needCommand('python3', 'python3')

type Block = { language: string; text: string; place: string }

const blocks: Block[] = filesIn('**/*.md').flatMap((path) => {
  const page = textOf(path)
  return Array.from(
    page.matchAll(/^( *)```(\w+)[^\n]*\n([^]*?)^\1```$/gm),
    ([, indent = '', language = '', text = '', ...rest]) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      place: `${path}:${page.slice(0, Number(rest[0])).split('\n').length}`,
    }),
  )
})

/** What is wrong with a block of a language. */
const PROBLEMS: Readonly<Record<string, (text: string) => string>> = {
  json(text) {
    try {
      JSON.parse(text)
      return ''
    } catch (error) {
      return String(error)
    }
  },
  yaml: (text) =>
    parseAllDocuments(text)
      .flatMap((document) => ('errors' in document ? document.errors : []))
      .join(),
  sh: (text) => spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' }).stderr,
  python: (text) =>
    spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
      input: text,
      encoding: 'utf8',
    }).stderr,
}

for (const [language, problemOf] of Object.entries(PROBLEMS))
  test(`every ${language} block of a page is ${language}`, () => {
    const own = blocks.filter((block) => block.language === language)

    assert.ok(own.length > 3)
    assert.deepEqual(
      own
        .map(({ text, place }) => ({ place, problem: problemOf(text) }))
        .filter(({ problem }) => problem !== ''),
      [],
    )
  })
