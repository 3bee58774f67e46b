// Finds sections by words, their beginnings, synonyms and small typing errors. Pages load it as a script,
// because a page of a file system may not load modules; tests import it.
globalThis.plumblineFind = (() => {
  const TOKEN = /\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}\p{M}])+/gu
  const HAN = /\p{Script=Han}/u
  const CAMEL = /\p{Lu}?\p{Ll}+|\p{N}+/gu
  /** Words that a question has and no answer needs. */
  const FILLERS = new Set(
    `a an and are as at be by can do does for from get have how i in is it its me my no not of on or our set
    should so that the there this to use was we what when where which who why will with you your
    怎么 如何 什么 哪里 为什么 怎样`.split(/\s+/),
  )
  const FORM = 'NFKC'
  const FIELD_POINTS = { heading: 10, page: 4 }
  const MOST_RESULTS = 20
  const MOST_OF_A_PAGE = 4
  /** Below this share of the weight of all words a section is no answer. */
  const NEAR_SHARE = 0.4
  const BACKGROUND_WEIGHT = 0.5

  const fold = (text) => text.normalize(FORM).toLowerCase().normalize(FORM)
  const tokensOf = (text) => fold(text).match(TOKEN) ?? []

  /** A word without the endings of English. */
  const stem = (word) => {
    if (word.length < 5 || HAN.test(word)) return word
    if (word.endsWith('ies')) return word.slice(0, -3)
    if (word.endsWith('ing') && word.length > 6) return word.slice(0, -3)
    if (word.endsWith('ed') && word.length > 5) return word.slice(0, -2)
    if (/(?:s|x|ch|sh)es$/.test(word)) return word.slice(0, -2)
    return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
  }

  /** How many letters are added, lost, replaced or exchanged with their neighbour; above `most` any number. */
  function distance(one, other, most) {
    if (Math.abs(one.length - other.length) > most) return most + 1
    let [before, last] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)]
    for (let i = 1; i <= one.length; i++) {
      const row = [i]
      for (let j = 1; j <= other.length; j++) {
        const isSame = one[i - 1] === other[j - 1]
        let least = Math.min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (isSame ? 0 : 1))
        if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
          least = Math.min(least, before[j - 2] + 1)
        row.push(least)
      }
      if (Math.min(...row) > most) return most + 1
      ;[before, last] = [last, row]
    }
    return last[other.length]
  }

  /** Sections are `[address, page, heading, text, weight]`; `synonyms` has lists of texts by word. */
  function index(rows, synonyms) {
    const sections = rows.map(([url, page, heading, text, weight]) => {
      const title = heading === '' ? page : heading
      const phrases = [` ${tokensOf(title).join(' ')} `, ` ${tokensOf(text).join(' ')} `]
      return { url, page, heading, text, weight, titleWords: tokensOf(title), phrases }
    })
    const postings = new Map()
    const note = (token, at, field) => {
      const places = placesOf(token)
      const place = places.get(at) ?? { text: 0 }
      if (field === 'text') place.text++
      else place[field] = true
      places.set(at, place)
    }
    const placesOf = (token) => {
      if (!postings.has(token)) postings.set(token, new Map())
      return postings.get(token)
    }
    for (const [at, { page, heading, text }] of sections.entries())
      for (const [field, words] of Object.entries({ page, heading: heading || page, text }))
        for (const [word] of words.matchAll(TOKEN)) {
          note(fold(word), at, field)
          // The parts of names such as intervalSeconds are found, too.
          const parts = word.match(CAMEL) ?? []
          if (parts.length > 1) for (const part of parts) note(fold(part), at, field)
        }
    const vocabulary = [...postings.keys()].toSorted()
    const meanings = new Map(
      Object.entries(synonyms).map(([key, texts]) => [normalKey(key), texts]),
    )
    return { sections, postings, vocabulary, meanings }
  }

  const normalKey = (text) => tokensOf(text).map(stem).join(' ')

  /** The words of the pages that a word means, each with how surely. */
  function matchesOf({ postings, vocabulary }, word, isTyped) {
    const found = new Map()
    const add = (token, quality) => found.set(token, Math.max(quality, found.get(token) ?? 0))
    if (postings.has(word)) add(word, 1)
    if (HAN.test(word)) {
      for (const token of vocabulary) if (token.includes(word)) add(token, 0.9)
      return found
    }
    const root = stem(word)
    if (word.length >= 3 || (isTyped && word.length === 2))
      for (const token of vocabulary.slice(firstFrom(vocabulary, root))) {
        if (!token.startsWith(root)) break
        if (stem(token) === root) add(token, 0.95)
        else if (token.startsWith(word)) add(token, 0.3 + (0.4 * word.length) / token.length)
      }
    return found
  }

  /** The words that differ least from one that no page has. */
  function correctionsOf({ vocabulary, meanings }, word) {
    if (word.length < 4 || HAN.test(word) || /\p{N}/u.test(word)) return []
    const most = word.length < 8 ? 1 : 2
    let [least, found] = [most, []]
    for (const candidate of [...vocabulary, ...meanings.keys()]) {
      const steps = distance(word, candidate, least)
      if (steps < least) [least, found] = [steps, [candidate]]
      else if (steps === least) found.push(candidate)
    }
    return found
  }

  function firstFrom(sorted, text) {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sorted[middle] < text) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Parts of a text without blanks that the pages or the synonyms know, longest first. */
  function splitHan({ meanings, vocabulary }, word) {
    if (!HAN.test(word) || meanings.has(word) || vocabulary.some((token) => token.includes(word)))
      return [word]
    const known = (part) =>
      meanings.has(part) || FILLERS.has(part) || vocabulary.some((token) => token.includes(part))
    const parts = []
    for (let at = 0; at < word.length;) {
      let length = word.length - at
      while (length > 1 && !known(word.slice(at, at + length))) length--
      if (length > 1) parts.push(word.slice(at, at + length))
      at += length
    }
    return parts.length === 0 ? [word] : parts
  }

  /** The words of a query as terms, each of which has alternatives. */
  function readTerms(pages, query) {
    const typed = tokensOf(query)
    const words = typed.flatMap((word) => splitHan(pages, word))
    const terms = []
    for (let at = 0; at < words.length;) {
      let count = Math.min(3, words.length - at)
      while (count > 1 && !pages.meanings.has(keyOf(words.slice(at, at + count)))) count--
      const own = words.slice(at, at + count)
      const isLast = at + count === words.length
      if (count > 1 || !FILLERS.has(own[0])) terms.push(toTerm(pages, own, isLast))
      at += count
    }
    if (terms.length > 0) return terms
    return words.map((word, at) => toTerm(pages, [word], at === words.length - 1))
  }

  const keyOf = (words) => words.map(stem).join(' ')

  function toTerm(pages, words, isTyped) {
    const alternative = (parts, factor, isBegun = false) => ({
      factor,
      words: parts.map((part, at) => matchesOf(pages, part, isBegun && at === parts.length - 1)),
    })
    const meaningsOf = (key) =>
      (pages.meanings.get(key) ?? []).map((text) => alternative(tokensOf(text), 0.9))
    const alternatives = [alternative(words, 1, isTyped), ...meaningsOf(keyOf(words))]
    const isKnown = alternatives.some((one) => one.words.every((matches) => matches.size > 0))
    if (!isKnown && words.length === 1)
      for (const correction of correctionsOf(pages, words[0]))
        alternatives.push(alternative([correction], 0.6), ...meaningsOf(correction))
    return alternatives
  }

  /** What a term gives to each section that has it. */
  function pointsOf({ sections, postings }, alternatives) {
    const best = new Map()
    for (const { factor, words } of alternatives) {
      const sums = words.map((matches) => pointsOfWord(postings, matches))
      for (const [at] of sums[0] ?? []) {
        if (!sums.every((sum) => sum.has(at))) continue
        const points = sums.reduce((all, sum) => all + sum.get(at), 0) / sums.length
        best.set(at, Math.max(best.get(at) ?? 0, factor * points))
      }
    }
    // A word that no page has says little about which of them is near.
    const rarity = best.size === 0 ? 1 : Math.log(1 + sections.length / best.size)
    return { points: best, rarity }
  }

  function pointsOfWord(postings, matches) {
    const points = new Map()
    for (const [token, quality] of matches)
      for (const [at, place] of postings.get(token)) {
        const text = place.text === 0 ? 0 : 1 + Math.min(2, Math.log2(place.text) / 2)
        const heading = place.heading ? FIELD_POINTS.heading : 0
        const page = place.page ? FIELD_POINTS.page : 0
        points.set(at, Math.max(points.get(at) ?? 0, quality * (text + heading + page)))
      }
    return points
  }

  /** The sections that have all words, best first; where too few have, the nearest ones behind them. */
  function find(pages, query) {
    const terms = readTerms(pages, query)
    const given = terms.map((alternatives) => pointsOf(pages, alternatives))
    const words = new Set(
      terms.flat().flatMap(({ words }) => words.flatMap((one) => [...one.keys()])),
    )
    const all = given.reduce((sum, { rarity }) => sum + rarity, 0)
    const phrase = ` ${tokensOf(query).join(' ')} `
    const results = []
    for (const [at, section] of pages.sections.entries()) {
      const present = given.filter(({ points }) => points.has(at))
      if (present.length === 0) continue
      const share = present.reduce((sum, { rarity }) => sum + rarity, 0) / all
      if (share < NEAR_SHARE) continue
      const points = present.reduce((sum, one) => sum + one.rarity * one.points.get(at), 0)
      const covered = section.titleWords.filter((word) => words.has(word)).length
      const coverage = 1 + covered / (section.titleWords.length + 1)
      const [title, text] = section.phrases
      const order = title.includes(phrase) ? 2 : text.includes(phrase) ? 1.3 : 1
      const isWhole = present.length === terms.length
      // What is only background stands behind what is near.
      const isFull = isWhole && section.weight >= BACKGROUND_WEIGHT
      const score = points * coverage * order * section.weight * (isWhole ? 1 : share ** 3)
      results.push({ section, score, isFull })
    }
    const sorted = results.toSorted((a, b) => b.isFull - a.isFull || b.score - a.score)
    return { words, results: sorted.filter(leavesRoom()).slice(0, MOST_RESULTS) }
  }

  /** Tells which results are shown, so that one page does not hide the others. */
  function leavesRoom() {
    const counts = new Map()
    return ({ section: { page } }) => {
      const count = (counts.get(page) ?? 0) + 1
      counts.set(page, count)
      return count <= MOST_OF_A_PAGE
    }
  }

  /** The part of a text with the most different words, in pieces that are marked or not. */
  function excerpt(text, words, length) {
    const tokens = Array.from(text.matchAll(TOKEN), (match) => ({
      at: match.index,
      end: match.index + match[0].length,
      word: fold(match[0]),
    })).filter(({ word }) => words.has(word))
    let [start, most] = [0, 0]
    for (const { at } of tokens) {
      const within = tokens.filter((one) => one.at >= at && one.end <= at + length - 60)
      const count = new Set(within.map(({ word }) => word)).size
      const beginning = at < 80 ? 0 : Math.min(at, text.indexOf(' ', at - 60) + 1)
      if (count > most) [start, most] = [beginning, count]
    }
    const end = Math.min(text.length, start + length)
    const pieces = [{ text: start > 0 ? '…' : '', isMarked: false }]
    let at = start
    for (const token of tokens) {
      if (token.at < at || token.end > end) continue
      pieces.push({ text: text.slice(at, token.at), isMarked: false })
      pieces.push({ text: text.slice(token.at, token.end), isMarked: true })
      at = token.end
    }
    pieces.push({ text: text.slice(at, end) + (end < text.length ? '…' : ''), isMarked: false })
    return pieces.filter((piece) => piece.text !== '')
  }

  return { index, find, excerpt }
})()
