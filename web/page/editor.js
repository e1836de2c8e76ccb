// The editor of the model's text: completion and documentation from the engine's schema, places of errors.
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { xml } from '@codemirror/lang-xml';
import { HighlightStyle, bracketMatching, foldGutter, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const PAUSE = 250;  // milliseconds without typing after which the model is compiled

const colors = HighlightStyle.define([
  { tag: tags.tagName, color: 'var(--tag)' }, { tag: tags.attributeName, color: 'var(--name)' }, { tag: tags.attributeValue, color: 'var(--value)' },
  { tag: tags.comment, color: 'var(--dim)' }, { tag: tags.angleBracket, color: 'var(--dim)' },
]);

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--back)', color: 'var(--front)' }, '.cm-gutters': { backgroundColor: 'var(--back)', color: 'var(--dim)', border: 'none' },
  '.cm-content': { caretColor: 'var(--front)' }, '.cm-cursor': { borderLeftColor: 'var(--front)' }, '.cm-activeLine': { backgroundColor: 'light-dark(#0000000a, #ffffff0a)' },
  '.cm-tooltip': { backgroundColor: 'var(--button)', color: 'var(--front)', border: '1px solid var(--line)' }, '.cm-doc': { padding: '6px 10px', maxWidth: '380px' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'light-dark(#b8d2f8, #2f4f7a) !important' },
});

export class Editor {
  // changed: called with the text some time after the user has changed it
  constructor(parent, changed) {
    this.docs = new Map();
    this.language = new Compartment();
    this.isSilent = false;
    let timer = 0;
    const listener = EditorView.updateListener.of(update => {
      if (!update.docChanged || this.isSilent) return;
      clearTimeout(timer);
      timer = setTimeout(() => changed(this.text), PAUSE);
    });
    // the Tab key leaves the editor, as it leaves every other control
    const extensions = [
      lineNumbers(), foldGutter(), history(), highlightActiveLine(), bracketMatching(), autocompletion(), lintGutter(), syntaxHighlighting(colors),
      this.language.of(xml()), hoverTooltip((view, pos) => this.tooltip(view, pos)), keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      theme, listener, EditorView.contentAttributes.of({ 'aria-label': 'Text of the model, MJCF' }),
    ];
    this.view = new EditorView({ parent, state: EditorState.create({ doc: '', extensions }) });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  // replace the text without telling anybody
  set text(text) {
    this.isSilent = true;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.isSilent = false;
  }

  // attributes of all elements, as the engine describes them
  set schema(rows) {
    const elements = new Map(), tag = path => path.split('/').pop();
    for (const row of rows) {
      const parts = row.element.split('/');
      parts.forEach(part => elements.has(part) || elements.set(part, new Map()));
      this.docs.set(`${tag(row.element)}.${row.name}`, row);
      elements.get(tag(row.element)).set(row.name, {
        name: row.name, values: row.words ? row.words.split(' ') : [],
        completion: { detail: row.unit === '-' ? '' : row.unit, info: row.meaning + (row.initial ? ` (default ${row.initial})` : '') },
      });
    }
    const spec = [...elements].map(([name, attributes]) => ({ name, attributes: [...attributes.values()] }));
    this.view.dispatch({ effects: this.language.reconfigure(xml({ elements: spec })) });
  }

  // documentation of the attribute under the pointer
  tooltip(view, pos) {
    const line = view.state.doc.lineAt(pos), at = pos - line.from;
    const left = /[\w:]*$/.exec(line.text.slice(0, at))[0], word = left + /^[\w:]*/.exec(line.text.slice(at))[0];
    const tag = [...view.state.sliceDoc(Math.max(0, pos - 2000), pos).matchAll(/<(\w+)/g)].pop()?.[1];
    const row = this.docs.get(`${tag}.${word}`);
    if (!row) return null;
    const parts = [`${word}: ${row.meaning}`, row.unit === '-' ? '' : `[${row.unit}]`, row.words && `one of ${row.words}`, row.initial && `default ${row.initial}`];
    const create = () => {
      const dom = document.createElement('div');
      dom.className = 'cm-doc';
      dom.textContent = parts.filter(Boolean).join('; ');
      return { dom };
    };
    return { pos: line.from + at - left.length, create };
  }

  // underline places, given as lines and columns that begin with 1
  mark(places, severity, message) {
    const { doc } = this.view.state, lines = new Map();
    for (const place of places) if (place.line >= 1 && place.line <= doc.lines && !lines.has(place.line)) lines.set(place.line, place);
    const marks = [...lines.values()].map(({ line, column }) => {
      const l = doc.line(line), from = Math.min(l.from + column - 1, l.to), word = /^[^\s>]*/.exec(l.text.slice(column - 1))[0].length;
      return { from, to: Math.min(l.to, from + Math.max(1, word)), severity, message };
    });
    marks.sort((a, b) => a.from - b.from);
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  goTo(line, column) {
    const l = this.view.state.doc.line(Math.max(1, Math.min(line, this.view.state.doc.lines)));
    this.view.dispatch({ selection: { anchor: Math.min(l.to, l.from + column - 1) }, scrollIntoView: true });
    this.view.focus();
  }
}
