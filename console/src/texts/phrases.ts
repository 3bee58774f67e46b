/** An English sentence and its Chinese one, with the parts that both have as `$1`. */
export type Phrase = readonly [english: RegExp, chinese: string]

/** The Chinese sentence of an English one; undefined where no phrase has it. */
export function sayBy(phrases: readonly Phrase[], text: string): string | undefined {
  const phrase = phrases.find(([english]) => english.test(text))
  return phrase && text.replace(...phrase)
}
