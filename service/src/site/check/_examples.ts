import assert from 'node:assert/strict'
import type { SiteEntry } from '../../domain/site/site-entry.ts'
import { YamlFileError } from '../../yaml/yaml-file-error.ts'
import { exampleText } from '../_sites.ts'
import { readSiteFile } from '../file/read-site-file.ts'
import { checkSite } from './check-site.ts'

/** Checks a site file over stored entries; returns its notes. */
export const check = (text: string, stored: readonly SiteEntry[] = []) =>
  checkSite(readSiteFile(text, 's.yaml'), stored)

/** The example with a text in it replaced, which occurs once. */
export function exampleWith(original: string, replacement: string): string {
  assert.equal(exampleText.split(original).length, 2, `${original} occurs once in the example`)
  return exampleText.replace(original, () => replacement)
}

/** The line of the first occurrence of a part of a text. */
export function lineOf(text: string, part: string): number {
  return text.slice(0, text.indexOf(part)).split('\n').length
}

export const F1 = 'structures[0].factors[0]'
export const GROUPED = `${F1}.groups[0].stations[0]`
export const BATCH = `${F1}.thresholds[0]`

/** The error of a site file that is refused. */
export function refusalOf(text: string, stored: readonly SiteEntry[] = []): YamlFileError {
  try {
    check(text, stored)
  } catch (error) {
    if (error instanceof YamlFileError) return error
    throw error
  }
  throw new Error('the file was accepted')
}
