import {
  autocompletion,
  completionKeymap,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import { unifiedMergeView } from '@codemirror/merge'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Annotation, EditorState, StateEffect, StateField, type Extension } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  WidgetType,
  type DecorationSet,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { suggest, type Schema } from './suggest.ts'
import { findPlace } from './yaml-place.ts'

export type LineProblem = { line: number; message: string }

type EditorOptions = {
  parent: HTMLElement
  text: string
  label: string
  isDark: boolean
  /** What the editor says, in the language of the page. */
  phrases: Readonly<Record<string, string>>
  schema: Schema
  onchange(text: string): void
}

/** Marks a text that the page has given: nobody has typed it. */
const isGiven = Annotation.define<boolean>()

export type Editor = {
  /** Replaces the text, unless it is the same. */
  setText(text: string): void
  setProblems(problems: readonly LineProblem[]): void
  goTo(line: number): void
  destroy(): void
}

/** An editor of a site file. It lives in a shadow root, where the policy of the page allows its styles. */
export function openEditor(options: EditorOptions): Editor {
  const { parent, text, schema, onchange } = options
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' })
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        looks(options),
        history(),
        foldGutter(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        bracketMatching(),
        search({ top: true }),
        problemLines,
        autocompletion({ override: [(context) => complete(schema, context)], icons: false }),
        keymap.of([
          ...completionKeymap,
          ...historyKeymap,
          ...searchKeymap,
          ...foldKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          const isTyped = update.transactions.every((one) => one.annotation(isGiven) !== true)
          if (update.docChanged && isTyped) onchange(update.state.doc.toString())
        }),
      ],
    }),
  })
  return {
    setText(next) {
      const { doc } = view.state
      if (doc.toString() !== next)
        view.dispatch({
          changes: { from: 0, to: doc.length, insert: next },
          annotations: isGiven.of(true),
        })
    },
    setProblems(problems) {
      view.dispatch({ effects: setProblems.of(problems) })
    },
    goTo(number) {
      const line = view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines))
      view.dispatch({
        selection: { anchor: line.from },
        effects: EditorView.scrollIntoView(line.from, { y: 'center' }),
      })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

type DifferenceOptions = Omit<EditorOptions, 'schema' | 'onchange'> & { original: string }

/** Shows what was removed and added, without the parts that are the same. */
export function openDifference(options: DifferenceOptions): { destroy(): void } {
  const { parent, text, original } = options
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' })
  return new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        looks(options),
        EditorState.readOnly.of(true),
        unifiedMergeView({
          original,
          mergeControls: false,
          highlightChanges: true,
          collapseUnchanged: { margin: 3, minSize: 6 },
        }),
      ],
    }),
  })
}

function looks({ label, isDark, phrases }: Omit<EditorOptions, 'schema' | 'onchange'>): Extension {
  return [
    lineNumbers(),
    EditorState.phrases.of(phrases),
    drawSelection(),
    yaml(),
    indentUnit.of('  '),
    syntaxHighlighting(colours),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorView.theme(theme, { dark: isDark }),
  ]
}

const theme = {
  '&': {
    height: '100%',
    fontSize: 'var(--size-2)',
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', lineHeight: '20px' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--text-quiet)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--accent-soft)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-problemLine': { backgroundColor: 'var(--danger-soft)' },
  '.cm-problem': {
    padding: '4px 8px 4px 6px',
    borderLeft: '4px solid var(--danger)',
    backgroundColor: 'var(--danger-soft)',
    color: 'var(--text)',
    fontFamily: 'var(--font)',
    whiteSpace: 'pre-line',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-code)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--accent-text)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.75' },
  '.cm-completionInfo': {
    maxWidth: '360px',
    padding: '8px',
    fontFamily: 'var(--font)',
    whiteSpace: 'normal',
  },
  '.cm-panels': {
    backgroundColor: 'var(--sunken)',
    color: 'var(--text)',
    borderColor: 'var(--line)',
  },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"⋯"' },
  '.cm-collapsedLines': {
    background: 'var(--sunken)',
    color: 'var(--text-quiet)',
    fontFamily: 'var(--font)',
  },
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warning)' },
  { tag: tags.comment, color: 'var(--text-quiet)', fontStyle: 'italic' },
  { tag: [tags.separator, tags.punctuation], color: 'var(--text-quiet)' },
])

const setProblems = StateEffect.define<readonly LineProblem[]>()

/** The sentences of the problems of a line, below it. */
class ProblemWidget extends WidgetType {
  readonly #message: string

  constructor(message: string) {
    super()
    this.#message = message
  }

  override eq(other: ProblemWidget): boolean {
    return other.#message === this.#message
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('div')
    element.className = 'cm-problem'
    element.textContent = this.#message
    return element
  }
}

const problemLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    let next = shown.map(transaction.changes)
    for (const effect of transaction.effects) {
      if (!effect.is(setProblems)) continue
      const { doc } = transaction.state
      const shownProblems = effect.value.filter(({ line }) => line >= 1 && line <= doc.lines)
      const byLine = Map.groupBy(shownProblems, ({ line }) => line)
      const ranges = [...byLine].flatMap(([number, problems]) => {
        const line = doc.line(number)
        const widget = new ProblemWidget(problems.map(({ message }) => message).join('\n'))
        return [
          Decoration.line({ class: 'cm-problemLine' }).range(line.from),
          Decoration.widget({ widget, block: true, side: 1 }).range(line.to),
        ]
      })
      next = Decoration.set(ranges, true)
    }
    return next
  },
  provide: (field) => EditorView.decorations.from(field),
})

function complete(schema: Schema, context: CompletionContext): CompletionResult | null {
  const place = findPlace(context.state.doc.toString(), context.pos)
  if (place === undefined || (!context.explicit && place.isKey && place.typed === '')) return null
  const options = suggest(schema, place).map((one): Completion => {
    const completion: Completion = {
      label: one.label,
      detail: one.isRequired ? `${one.detail} *` : one.detail,
      boost: one.isRequired ? 1 : 0,
      ...(one.description !== '' && { info: one.description }),
    }
    // After a name the values, or the members of the next line, are offered at once.
    return place.isKey
      ? {
          ...completion,
          apply(view, _chosen, from, to) {
            view.dispatch({
              changes: { from, to, insert: one.text },
              selection: { anchor: from + one.text.length },
            })
            startCompletion(view)
          },
        }
      : completion
  })
  return options.length === 0
    ? null
    : { from: context.pos - place.typed.length, options, validFor: /^[\w.]*$/ }
}
