import { Document, isScalar, isSeq, visit, type YAMLMap } from 'yaml'

/** Longer mappings have a line for each member. */
const FLOW_LENGTH = 100

/** A value as YAML that reads as the same value; short mappings and lists of scalars take one line. */
export function writeYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Seq: (_key, list) => {
      if (list.items.every(isScalar)) list.flow = true
    },
    Map: (_key, mapping) => {
      if (mapping !== document.contents && isFlat(mapping))
        mapping.flow = JSON.stringify(mapping).length <= FLOW_LENGTH
    },
  })
  // Texts of several lines are quoted: the end of a block depends on its last line.
  return document.toString({ lineWidth: 0, blockQuote: false, singleQuote: true })
}

const isFlat = ({ items }: YAMLMap): boolean =>
  items.every(
    ({ value }) => isScalar(value) || (isSeq(value) && value.items.every((item) => isScalar(item))),
  )
