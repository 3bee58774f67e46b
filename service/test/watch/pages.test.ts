import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPages, textOf } from '../spec/_pages.ts'
import { withWatched } from './_metrics.ts'

const pages = readPages()

const pathsOf = (text: string): string[] => text.match(/\/(?:health\/[a-z]+|metrics\b)/g) ?? []

test('every health path that a page names answers, and the page about operating names each', async () => {
  await using watched = await withWatched()
  const named = new Set(pages.flatMap(({ codes }) => codes.flatMap(({ name }) => pathsOf(name))))
  const listed = pathsOf(
    textOf('docs/operating.md')
      .match(/(?<=^\| `)\/(?:health|metrics)[^`]*/gm)
      ?.join() ?? '',
  )

  assert.ok(listed.length >= 9)
  assert.deepEqual([...named].toSorted(), [...new Set(listed)].toSorted())
  for (const path of listed) assert.equal((await watched.ask(path)).status, 200, path)
})

test('every symptom of the table has its section, and every section its symptom', () => {
  const page = textOf('docs/troubleshooting.md')
  const sections = Array.from(page.matchAll(/^## (.+)$/gm), ([, title = '']) => title)
  const symptoms = Array.from(page.matchAll(/^\|.*\| \[([^\]]+)\]\(#/gm), ([, title = '']) => title)

  assert.ok(sections.length > 15)
  assert.deepEqual(symptoms, sections)
})
