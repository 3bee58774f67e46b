import { zip } from '../security/_zip.ts'

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const REFERENCES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** The cell styles of the workbooks below: a number, date and clock, a date, a clock, and a number. */
export const STYLES = { number: 0, time: 1, date: 2, clock: 3, percent: 4 } as const

const STYLE_PART = `${HEAD}<styleSheet ${MAIN}>
<numFmts count="2"><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm:ss;@"/><numFmt numFmtId="165" formatCode="0.0&quot; d&quot;"/></numFmts>
<cellStyleXfs count="1"><xf numFmtId="14"/></cellStyleXfs>
<cellXfs count="5"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/><xf numFmtId="21"/><xf numFmtId="165"/></cellXfs>
</styleSheet>`

type Workbook = {
  /** The rows of each sheet as XML. */
  sheets: Record<string, string>
  strings?: readonly string[]
  is1904?: boolean
  /** Parts in place of those above. */
  parts?: Record<string, string>
}

/** A workbook as ECMA-376 describes it. */
export function xlsx({ sheets, strings = [], is1904 = false, parts = {} }: Workbook): Buffer {
  const names = Object.keys(sheets)
  const all: Record<string, string> = {
    '[Content_Types].xml': `${HEAD}<Types/>`,
    'xl/workbook.xml': `${HEAD}<workbook ${MAIN} xmlns:r="${REFERENCES}"><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets>${names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships>${names.map((_, at) => `<Relationship Id="rId${at + 1}" Target="${at === 0 ? '' : '/xl/'}worksheets/sheet${at + 1}.xml"/>`).join('')}</Relationships>`,
    'xl/styles.xml': STYLE_PART,
    'xl/sharedStrings.xml': `${HEAD}<sst ${MAIN}>${strings.map((text) => `<si><r><t>${text.slice(0, 1)}</t></r><r><t xml:space="preserve">${text.slice(1)}</t></r><rPh><t>x</t></rPh></si>`).join('')}</sst>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `${HEAD}<x:worksheet xmlns:x="${MAIN.slice(7, -1)}"><x:sheetData>${rows.replaceAll(/<(\/?)/g, '<$1x:')}</x:sheetData></x:worksheet>`,
      ]),
    ),
    ...parts,
  }
  return zip(Object.entries(all).map(([name, text]) => ({ name, content: Buffer.from(text) })))
}
