import { posix } from 'node:path'
import { RefusedError } from '../../../errors/refused-error.ts'
import { countOf, show } from '../../../errors/show.ts'
import { styleOfCode, styleOfId, type TimeStyle } from './cell-text.ts'
import { readXml, type XmlHandlers } from './read-xml.ts'
import { SheetRows } from './sheet-rows.ts'

/** A part of a workbook: a member of its archive. */
export type WorkbookPart = { ownName: string; chunks(): AsyncIterable<Uint8Array> }

const WORKBOOK = 'xl/workbook.xml'
/** Characters of the texts that cells share; they are kept in memory. */
const MOST_STRING_CHARACTERS = 64 * 2 ** 20
const MOST_STYLES = 100_000

/** Whether the members of an archive are those of an XLSX workbook. */
export const isWorkbook = (parts: readonly WorkbookPart[]): boolean =>
  parts.some(({ ownName }) => ownName === WORKBOOK)

/**
 * The rows of a sheet as lines of CSV in UTF-8, as its bytes are inflated. Throws a `RefusedError` for a
 * sheet that is not there.
 *
 * Source of the format: ECMA-376, Office Open XML, part 1, chapter 18 (SpreadsheetML).
 */
export async function* readSheet(
  parts: readonly WorkbookPart[],
  sheet: string | number,
): AsyncGenerator<Uint8Array> {
  const { sheets, is1904 } = await readWorkbook(parts)
  const found =
    sheets.find(({ name }) => name === sheet) ??
    (typeof sheet === 'number' ? sheets[sheet - 1] : undefined)
  if (found === undefined)
    throw new RefusedError(
      'invalid',
      `the workbook has no sheet ${show(sheet)}, but ${sheets.map(({ name }) => show(name)).join(', ')}`,
    )
  const targets = await readTargets(parts)
  const part = findPart(parts, targets.get(found.id) ?? '')
  if (part === undefined)
    throw new RefusedError(
      'invalid',
      `the workbook lacks the cells of the sheet ${show(found.name)}`,
    )
  const rows = new SheetRows({
    strings: await readStrings(parts),
    styles: await readStyles(parts),
    is1904,
  })
  for await (const _ of readXml(part.chunks(), part.ownName, rows)) {
    const bytes = rows.take()
    if (bytes.length > 0) yield bytes
  }
}

type SheetEntry = { name: string; id: string }

async function readWorkbook(
  parts: readonly WorkbookPart[],
): Promise<{ sheets: SheetEntry[]; is1904: boolean }> {
  const sheets: SheetEntry[] = []
  let is1904 = false
  await readPart(parts, WORKBOOK, {
    open(name, { name: sheet = '', id = '', date1904 = '' }) {
      if (name === 'sheet') sheets.push({ name: sheet, id })
      else if (name === 'workbookPr') is1904 = date1904 === '1' || date1904 === 'true'
    },
  })
  return { sheets, is1904 }
}

/** The names of the parts that a workbook refers to, by the ids of its references. */
async function readTargets(parts: readonly WorkbookPart[]): Promise<Map<string, string>> {
  const targets = new Map<string, string>()
  await readPart(parts, 'xl/_rels/workbook.xml.rels', {
    open(name, { Id: id = '', Target: target = '' }) {
      if (name === 'Relationship') targets.set(id, posix.resolve('/xl', target).slice(1))
    },
  })
  return targets
}

async function readStrings(parts: readonly WorkbookPart[]): Promise<string[]> {
  const strings: string[] = []
  let characters = 0
  let text = ''
  let isText = false
  let isPhonetic = false
  await readPart(parts, 'xl/sharedStrings.xml', {
    open(name) {
      if (name === 'si') text = ''
      else if (name === 'rPh') isPhonetic = true
      else if (name === 't') isText = !isPhonetic
    },
    text(part) {
      if (isText) text += part
    },
    close(name) {
      if (name === 't') isText = false
      else if (name === 'rPh') isPhonetic = false
      if (name !== 'si') return
      characters += text.length + 1
      if (characters > MOST_STRING_CHARACTERS)
        throw new RefusedError(
          'invalid',
          `the texts of the workbook have more than ${countOf(MOST_STRING_CHARACTERS, 'character')}`,
        )
      strings.push(text)
    },
  })
  return strings
}

/** The time style of each cell style of a workbook. */
async function readStyles(parts: readonly WorkbookPart[]): Promise<(TimeStyle | undefined)[]> {
  const codes = new Map<number, TimeStyle | undefined>()
  const styles: (TimeStyle | undefined)[] = []
  // Nothing behind the cell styles has the name of a style.
  let isCellStyle = false
  await readPart(parts, 'xl/styles.xml', {
    open(name, { numFmtId = '0', formatCode = '' }) {
      const id = Number(numFmtId)
      if (name === 'numFmt') codes.set(id, styleOfCode(formatCode))
      else if (name === 'cellXfs') isCellStyle = true
      else if (name === 'xf' && isCellStyle && styles.length < MOST_STYLES)
        styles.push(codes.has(id) ? codes.get(id) : styleOfId(id))
    },
  })
  return styles
}

/** Reads a part of a workbook; one that is not there has no elements. */
async function readPart(
  parts: readonly WorkbookPart[],
  name: string,
  handlers: XmlHandlers,
): Promise<void> {
  const part = findPart(parts, name)
  if (part === undefined) return
  // The handlers keep what they need.
  for await (const _ of readXml(part.chunks(), name, handlers)) continue
}

const findPart = (parts: readonly WorkbookPart[], name: string): WorkbookPart | undefined =>
  parts.find(({ ownName }) => ownName.toLowerCase() === name.toLowerCase())
