import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findPasswordProblem } from '../../../service/src/domain/access/password-rules.ts'
import { ERRORS, serviceErrorInChinese } from './service-error.ts'

const SERVICE = join(import.meta.dirname, '../../../service/src')

test('every sentence that is translated is one of the service', () => {
  const sources = globSync('**/*.ts', { cwd: SERVICE })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(SERVICE, path), 'utf8').toLowerCase())

  for (const [english] of ERRORS) {
    // What stands between two parts that vary.
    const words = english.source
      .replaceAll(/\(\?:[^)]*\)\?/g, '|')
      .split(/\(.+?\)[?+*]?|[$|^]|\.[+*]|\\\S+/)
      .map((part) =>
        part
          .trim()
          .replaceAll(/[.?]+$/g, '')
          .toLowerCase(),
      )
      .filter((part) => part.length > 5)
    assert.ok(words.length > 0, english.source)
    const isSaid = sources.some((source) => words.every((part) => source.includes(part)))
    assert.ok(isSaid, `${english.source}: ${words.join(' | ')}`)
  }
})

test('why a password is refused is said in Chinese', () => {
  for (const password of ['short', 'anna is my name', 'passwordpassword', 'hannover2026']) {
    const problem = findPasswordProblem(password, 'anna')
    assert.ok(problem)
    assert.match(serviceErrorInChinese(problem), /^[^A-Za-z：]+$/, problem)
  }
})

test('numbers and names stay, and what is not known follows a lead', () => {
  const said: Record<string, string> = {
    'There is no station 1001.': '没有测点 1001。',
    'The password could not be changed: the password is wrong.': '密码有误。',
    'There is already an account anna': '账户 anna 已存在。',
    'Change 7 was already undone, on 2026-11-26 08:00:00 UTC.':
      '数据变更 7 已于 2026-11-26 08:00:00 UTC 撤销。',
    'The file site.yaml has two roots.': '服务的答复：The file site.yaml has two roots.',
  }
  for (const [english, chinese] of Object.entries(said))
    assert.equal(serviceErrorInChinese(english), chinese)
})
