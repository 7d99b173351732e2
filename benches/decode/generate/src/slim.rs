//! Takes out of a peer's code what the benchmark has no use for: comments, encoding, names. What
//! decodes stays as its generator wrote it.
use syn::{
    Attribute, Block, File, ImplItem, ImplItemFn, Item, ItemImpl, Type, parse_quote,
    visit_mut::{self, VisitMut},
};

/// Traits that no decoder needs.
const TRAITS: [&str; 4] = ["ViewEncode", "HasMessageView", "AsRef", "From"];
/// How the names of methods begin that only encode.
const METHODS: [&str; 6] = [
    "compute_size",
    "write_to",
    "get_size",
    "write_message",
    "encode",
    "try_encode",
];

pub fn decoding_only(file: &mut File) {
    file.attrs.clear();
    Slim.visit_file_mut(file);
}

struct Slim;

impl VisitMut for Slim {
    fn visit_file_mut(&mut self, file: &mut File) {
        file.items.retain(needed);
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain(needed);
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, block: &mut ItemImpl) {
        if block.trait_.is_none() {
            block
                .items
                .retain(|item| !matches!(item, ImplItem::Fn(method) if encodes(method)));
        }
        for item in &mut block.items {
            if let ImplItem::Fn(method) = item
                && encodes(method)
            {
                method.block = left_out();
                method
                    .attrs
                    .retain(|attribute| !attribute.path().is_ident("allow"));
                for argument in &mut method.sig.inputs {
                    if let syn::FnArg::Typed(argument) = argument {
                        argument.pat = parse_quote!(_);
                    }
                }
            }
        }
        visit_mut::visit_item_impl_mut(self, block);
    }

    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    }
}

fn encodes(method: &ImplItemFn) -> bool {
    let name = method.sig.ident.to_string();
    METHODS.iter().any(|start| name.starts_with(start))
}

fn left_out() -> Block {
    parse_quote!({ unreachable!("the benchmark does not encode") })
}

fn needed(item: &Item) -> bool {
    match item {
        Item::Struct(item) => !item.ident.to_string().ends_with("OwnedView"),
        Item::Impl(item) => needed_impl(item),
        Item::Use(item) => !quoted(&item.tree).contains("__buffa"),
        Item::Fn(item) => item.sig.ident != "register_types",
        _ => true,
    }
}

fn needed_impl(item: &ItemImpl) -> bool {
    let Type::Path(of) = &*item.self_ty else {
        return true;
    };
    if of
        .path
        .segments
        .last()
        .is_some_and(|name| name.ident.to_string().ends_with("OwnedView"))
    {
        return false;
    }
    let Some((_, of_trait, _)) = &item.trait_ else {
        // A message's type URL, and nothing else.
        return !item
            .items
            .iter()
            .all(|item| matches!(item, ImplItem::Const(_)));
    };
    let Some(name) = of_trait.segments.last() else {
        return true;
    };
    let is_enum_from = name.ident == "From" && !quoted(&name.arguments).contains("View");
    is_enum_from || !TRAITS.contains(&name.ident.to_string().as_str())
}

fn quoted(tokens: &impl quote::ToTokens) -> String {
    tokens.to_token_stream().to_string()
}
