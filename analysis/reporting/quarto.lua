-- What the pages use of Quarto's Markdown, for Pandoc alone: cross-references to figures, tables and
-- sections, callouts and tabsets. The markup follows what Quarto writes without Bootstrap, so that one
-- style sheet and one script serve both renderers.

local kinds = {
  fig = { word = 'Figure', n = 0 },
  tbl = { word = 'Table', n = 0 },
}
local callouts = { note = 'Note', tip = 'Tip', warning = 'Warning', important = 'Important', caution = 'Caution' }
local targets = {}   -- identifier -> { word =, number = }
local n_tabsets = 0
local counters = {}  -- section numbers, by level
local number_sections = false

local function html(text)
  return pandoc.RawBlock('html', text)
end

local function kind_of(identifier)
  return kinds[identifier:match('^(%a+)%-') or '']
end

local function label(identifier)
  local kind = kind_of(identifier)
  kind.n = kind.n + 1
  targets[identifier] = { word = kind.word, number = tostring(kind.n) }
  return kind.word .. '\u{a0}' .. kind.n
end

local function float(identifier, content, caption, classes)
  local type = identifier:match('^(%a+)%-')
  local name = label(identifier)
  local inlines = pandoc.Inlines { pandoc.Str(name) }
  if #caption > 0 then
    inlines:extend { pandoc.Str(':'), pandoc.Space() }
    inlines:extend(caption)
  end
  local at = type == 'tbl' and 'top' or 'bottom'
  local figcaption = pandoc.Blocks {
    html('<figcaption id="' .. identifier .. '-caption" class="quarto-float-caption-' .. at ..
      ' quarto-float-caption quarto-float-' .. type .. '">'),
    pandoc.Plain(inlines),
    html('</figcaption>'),
  }
  local body = pandoc.Blocks { html('<div aria-describedby="' .. identifier .. '-caption">') }
  body:extend(content)
  body:insert(html('</div>'))
  local out = pandoc.Blocks { html('<figure class="quarto-float quarto-float-' .. type .. ' figure">') }
  out:extend(at == 'top' and figcaption or body)
  out:extend(at == 'top' and body or figcaption)
  out:insert(html('</figure>'))
  local all = pandoc.List { 'quarto-float' }
  all:extend(classes)
  return pandoc.Div(out, pandoc.Attr(identifier, all))
end

local function float_div(div)
  local content = div.content:clone()
  local caption = pandoc.Inlines {}
  local last = content[#content]
  if last and last.t == 'Para' then
    caption = last.content
    content:remove(#content)
  end
  return float(div.identifier, content, caption, div.classes)
end

local function float_figure(figure)
  local caption = pandoc.utils.blocks_to_inlines(figure.caption.long)
  return float(figure.identifier, figure.content, caption, figure.classes)
end

-- A table's identifier stands at the end of its caption: `: Caption {#tbl-x}`.
local function float_table(tbl)
  local caption = pandoc.utils.blocks_to_inlines(tbl.caption.long)
  local identifier = tbl.identifier ~= '' and tbl.identifier or nil
  local last = caption[#caption]
  if last and last.t == 'Str' and last.text:match('^{#tbl%-[^}]+}$') then
    identifier = last.text:sub(3, -2)
    caption:remove(#caption)
    if #caption > 0 and caption[#caption].t == 'Space' then caption:remove(#caption) end
  end
  if not identifier or not kind_of(identifier) then return nil end
  tbl.caption = { long = {} }
  tbl.identifier = ''
  return float(identifier, pandoc.Blocks { tbl }, caption, pandoc.List {})
end

local function callout(div, type)
  local content = div.content:clone()
  local title
  if div.attributes.title then
    title = pandoc.utils.blocks_to_inlines(pandoc.read(div.attributes.title, 'markdown').blocks)
  elseif content[1] and content[1].t == 'Header' then
    title = content[1].content
    content:remove(1)
  else
    title = pandoc.Inlines { pandoc.Str(callouts[type]) }
  end
  content:insert(1, pandoc.Para { pandoc.Strong(title) })
  return pandoc.Div(
    { pandoc.BlockQuote(content) },
    pandoc.Attr(div.identifier, { 'callout', 'callout-' .. type }, { role = 'note' })
  )
end

local function tabset(div)
  local level
  for _, block in ipairs(div.content) do
    if block.t == 'Header' then level = block.level break end
  end
  if not level then return nil end
  n_tabsets = n_tabsets + 1
  local name = 'tabset-' .. n_tabsets
  local tabs = pandoc.List {}
  for _, block in ipairs(div.content) do
    if block.t == 'Header' and block.level == level then
      tabs:insert { title = block.content, content = pandoc.Blocks {} }
    elseif #tabs > 0 then
      tabs[#tabs].content:insert(block)
    end
  end
  local nav = pandoc.Inlines { pandoc.RawInline('html', '<ul id="' .. name .. '" class="panel-tabset-tabby">') }
  local panes = pandoc.Blocks {}
  for i, tab in ipairs(tabs) do
    local first = i == 1 and 'data-tabby-default ' or ''
    nav:insert(pandoc.RawInline('html', '<li><a ' .. first .. 'href="#' .. name .. '-' .. i .. '">'))
    nav:extend(tab.title)
    nav:insert(pandoc.RawInline('html', '</a></li>'))
    panes:insert(pandoc.Div(tab.content, pandoc.Attr(name .. '-' .. i)))
  end
  nav:insert(pandoc.RawInline('html', '</ul>'))
  return pandoc.Div(
    { pandoc.Plain(nav), pandoc.Div(panes, pandoc.Attr('', { 'tab-content' })) },
    pandoc.Attr(div.identifier, { 'panel-tabset' })
  )
end

local structure = { traverse = 'topdown' }

function structure.Div(div)
  for _, class in ipairs(div.classes) do
    local type = class:match('^callout%-(%a+)$')
    if type and callouts[type] then return callout(div, type) end
  end
  if div.classes:includes('panel-tabset') and not (div.content[2] and div.content[2].t == 'Div'
      and div.content[2].classes:includes('tab-content')) then
    return tabset(div)
  end
  if kind_of(div.identifier) and not div.classes:includes('quarto-float') then return float_div(div) end
end

function structure.Figure(figure)
  if kind_of(figure.identifier) then return float_figure(figure) end
end

function structure.Table(tbl)
  return float_table(tbl)
end

function structure.Header(header)
  if not number_sections or header.classes:includes('unnumbered') then return nil end
  counters[header.level] = (counters[header.level] or 0) + 1
  for level in pairs(counters) do
    if level > header.level then counters[level] = nil end
  end
  local levels = {}
  for level in pairs(counters) do levels[#levels + 1] = level end
  table.sort(levels)
  local numbers = {}
  for _, level in ipairs(levels) do numbers[#numbers + 1] = tostring(counters[level]) end
  if header.identifier:match('^sec%-') then
    targets[header.identifier] = { word = 'Section', number = table.concat(numbers, '.') }
  end
end

local references = {}

function references.Cite(cite)
  local out = pandoc.Inlines {}
  for i, citation in ipairs(cite.citations) do
    local id = citation.id:gsub('^%u', string.lower)
    local type = id:match('^(%a+)%-')
    if not (kinds[type or ''] or type == 'sec') then return nil end
    local target = targets[id]
    if not target then
      io.stderr:write('unresolved reference: @' .. citation.id .. '\n')
      return nil
    end
    if i > 1 then out:extend { pandoc.Str(','), pandoc.Space() } end
    local text = target.number
    if #citation.prefix > 0 then
      text = pandoc.utils.stringify(citation.prefix) .. '\u{a0}' .. target.number
    elseif citation.mode ~= 'SuppressAuthor' then
      text = target.word .. '\u{a0}' .. target.number
    end
    out:insert(pandoc.Link({ pandoc.Str(text) }, '#' .. id, '', { class = 'quarto-xref' }))
  end
  return out
end

function Pandoc(doc)
  number_sections = doc.meta['number-sections'] == true
  doc = doc:walk(structure)
  return doc:walk(references)
end
